"""Long work for the page Measure: each piece runs in its own process, shows its progress and can be stopped."""
