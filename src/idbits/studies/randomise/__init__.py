"""A randomised release for trying ``idbits leak``."""
