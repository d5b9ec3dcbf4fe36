"""What does sharing a group give away? The question ``idbits disclosure``."""
