"""Every failure becomes one clear line on stderr and an exit code; a traceback could contain cell values."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from idbits.errors import IdbitsError
from idbits.progress import INTERRUPTED

__all__ = ["complain", "failures"]

_UNMEASURED = 3
# Windows does not have this signal; the exit code is the same everywhere.
_SIGPIPE = int(getattr(signal, "SIGPIPE", 13))


@contextmanager
def failures() -> Iterator[None]:
    """Turn exceptions into one line and an exit code."""
    try:
        with _interruptions_first():
            yield
    except IdbitsError as error:
        complain(str(error))
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        complain("stopped")
        raise SystemExit(128 + signal.SIGINT) from None
    except BrokenPipeError:
        # The reader of the pipe has closed it: nothing more may be flushed into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(128 + _SIGPIPE) from None
    except MemoryError:
        complain("not enough memory; set a lower limit, for example --memory 2GB, so that idbits uses the disk")
        raise SystemExit(_UNMEASURED) from None
    except Exception as error:
        if os.environ.get("IDBITS_DEBUG"):
            raise
        complain(f"internal error ({type(error).__name__}); please report it (IDBITS_DEBUG=1 shows the details)")
        raise SystemExit(_UNMEASURED) from None


@contextmanager
def _interruptions_first() -> Iterator[None]:
    """Raise Ctrl-C again if a library turned it into an error of its own."""
    try:
        yield
    except Exception:
        if INTERRUPTED.is_set():
            raise KeyboardInterrupt from None
        raise


def complain(sentence: str) -> None:
    """Print one line on stderr."""
    from idbits.render.text import safe

    if sys.stderr is not None:
        print(f"idbits: {safe(sentence)}", file=sys.stderr)  # noqa: T201
