"""The meaning of values and of views of a column, the same for every engine."""
