"""Memory that is freed and used again at once, block after block.

The C library of Linux gives large arrays back to the system when they are freed. A kernel that works in blocks would
then get new pages for each of its arrays, and the system would fill them with zeros: hundreds of thousands of times,
which can take as long as the work itself.
"""

from __future__ import annotations

import numpy as np

__all__ = ["keep_freed_memory"]

_KEPT_BYTES = 24 << 20


def keep_freed_memory() -> None:
    """Let the C library keep up to twice this memory for later arrays, when smaller ones are freed.

    glibc raises its limits to the size of the largest array that was freed, up to 32 MB; other libraries ignore it. The
    array is never written to, so it takes no memory.
    """
    np.empty(_KEPT_BYTES, np.uint8)
