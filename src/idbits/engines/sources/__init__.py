"""What a file is: its format, encoding, dialect and size."""
