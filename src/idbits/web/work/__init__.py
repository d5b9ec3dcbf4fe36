"""Long work for the page Measure: each piece in a process of its own, which shows its progress and can be ended."""
