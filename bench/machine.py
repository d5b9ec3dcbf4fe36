"""What a benchmark ran on: the processor, the versions, and how busy the machine was."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from importlib import metadata
from pathlib import Path

import psutil

import idbits

__all__ = ["busy_cores", "load_average", "machine", "source_digest"]

PACKAGES = ("duckdb", "numpy", "pyarrow", "scipy", "pandas", "pyspark", "sqlalchemy")
SAMPLE_SECONDS = 0.2


def machine() -> dict[str, object]:
    """Describe the hardware and the versions; the same for every run on an unchanged machine."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := _version(name)) is not None},
    }


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        lines = described.read_text(encoding="utf-8").split("\n\n")[0].splitlines()
        parts = [line.partition(":") for line in lines]
        fields = {name.strip(): value.strip() for name, _, value in parts}
        if "model name" in fields:
            # A virtual machine often names only the maker; the family and model tell the generation.
            return f"{fields['model name']} (family {fields.get('cpu family')}, model {fields.get('model')})"
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def load_average() -> float | None:
    """Return the mean number of running processes in the last minute."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def busy_cores() -> float:
    """Return how many cores other programs use right now: this one waits while it looks."""
    return round(float(psutil.cpu_percent(SAMPLE_SECONDS)) / 100 * (psutil.cpu_count() or 1), 2)


@functools.cache
def source_digest() -> str:
    """Return a short digest of the package's source, so that a row shows which code it measured."""
    folder = Path(idbits.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
