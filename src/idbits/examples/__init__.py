"""Example tables of made-up people, drawn from known distributions."""

from idbits.examples.registry import registry, write_registry

__all__ = ["registry", "write_registry"]
