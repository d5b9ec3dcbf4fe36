"""Pure mathematics on counts, one idea per module: no engines, frames or files."""
