"""Engines: an opened table that can count. They return integers; whoever takes a logarithm does it elsewhere."""
