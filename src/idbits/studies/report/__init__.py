"""The page for decision makers."""
