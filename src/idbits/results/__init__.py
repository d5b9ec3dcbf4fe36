"""Results: frozen dataclasses that studies return."""
