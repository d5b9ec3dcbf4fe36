"""Code that several studies share."""
