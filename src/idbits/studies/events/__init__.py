"""How identifying events over time are."""
