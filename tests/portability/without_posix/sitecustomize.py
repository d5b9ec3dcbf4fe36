"""Python as if this were not a POSIX system: for processes that have this folder first in ``PYTHONPATH``.

Modules that other systems do not have cannot be imported, and names that they do not have are gone from ``os``,
``signal`` and ``socket``. Python's own modules keep what they need to run here, because they are imported before.
"""

import asyncio
import multiprocessing.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib.abc import MetaPathFinder

MODULES = (
    "crypt", "fcntl", "grp", "nis", "posix_ipc", "pty", "pwd", "readline", "resource", "spwd", "syslog", "termios",
    "tty",
)  # fmt: skip
SIGNALS = ("SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN")
"""The signals that Windows has, too."""
NAMES = {
    os: (
        "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "chown", "chroot", "fchmod", "fchown", "fork", "forkpty", "getegid",
        "geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getuid", "killpg", "lchown", "link", "mkfifo",
        "nice", "openpty", "pathconf", "posix_fadvise", "posix_fallocate", "posix_spawn", "pread", "pwrite",
        "register_at_fork", "sched_getaffinity", "setgid",
        "setsid", "setuid", "statvfs", "symlink", "sysconf", "umask",
    ),
    signal: (
        "alarm", "getitimer", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "siginterrupt", "sigpending",
        "sigtimedwait", "sigwait", "sigwaitinfo",
        *(name for name in dir(signal) if name.startswith("SIG") and name not in SIGNALS),
    ),
}  # fmt: skip
KEPT = (asyncio, multiprocessing.util, shutil, subprocess, tempfile)
"""Python's own modules that use what is hidden on this system, and something else on others."""


class Hidden(MetaPathFinder):
    """Finds no module that only POSIX has."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"no module named {name} (hidden)", name=name)


for module in MODULES:
    sys.modules.pop(module, None)
sys.meta_path.insert(0, Hidden())
for module, names in NAMES.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
# As on Windows, where both end a process without a signal.
subprocess.Popen.kill = subprocess.Popen.terminate
