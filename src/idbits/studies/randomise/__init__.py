"""A release to try ``idbits leak`` on."""
