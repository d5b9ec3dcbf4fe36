"""Rendering: text tables and HTML from plain blocks; knows no result type."""
