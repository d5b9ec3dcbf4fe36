"""The role of each column, judged by evidence: its name, its values, and its relation to other columns."""
