"""Rendering: text tables and HTML from plain blocks, independent of any result type."""
