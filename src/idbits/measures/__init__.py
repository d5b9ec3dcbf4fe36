"""Pure mathematics on counts, one idea a file: no engine, no frame, no file."""
