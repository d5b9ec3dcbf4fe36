"""Engines: an opened table that can count. They return whole numbers; logarithms are taken in ``measures``."""
