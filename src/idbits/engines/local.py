"""Capabilities over coded rows, for every engine that can hand those out."""

from __future__ import annotations

__all__ = ["LocalCapabilities"]


class LocalCapabilities:
    """What a table on this machine can be asked beside one count at a time."""
