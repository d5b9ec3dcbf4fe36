"""How large is idbits with its core dependencies? The space that a new environment with nothing else takes.

    python bench/install_size.py

The wheel is built from this folder. Versions are those of constraints.txt. The sum has all packages as `du` counts
them, with compiled bytecode, but without pip and setuptools, which were there before.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from rows import add_json_option, at_most, record

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench" / "install"
LIMIT_MB = 597
BLOCK = 512
THERE_BEFORE = {"pip", "setuptools", "pkg_resources", "distutils", "distutils_hack"}
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def megabytes(path: Path) -> float:
    """Return what a file or a folder takes on the disk."""
    return sum(each.lstat().st_blocks for each in (path, *path.rglob("*"))) * BLOCK / 2**20


def run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)


def install() -> Path:
    """Build the wheel and install it with its core dependencies into a new environment."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    wheels, home = FOLDER / "wheels", FOLDER / "environment"
    run(sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    (wheel,) = wheels.glob("idbits-*.whl")
    run(sys.executable, "-m", "venv", str(home))
    constraints = str(ROOT / "constraints.txt")
    run(str(home / "bin" / "python"), *PIP, "install", "--constraint", constraints, str(wheel))
    return home


def package_sizes(home: Path) -> dict[str, float]:
    """Return the size of each package, with its libraries, the largest first."""
    sizes: dict[str, float] = {}
    (packages,) = home.glob("lib/python*/site-packages")
    for path in packages.iterdir():
        name = path.name.partition(".")[0].partition("-")[0].lstrip("_")
        if name not in THERE_BEFORE:
            sizes[name] = sizes.get(name, 0) + megabytes(path)
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_json_option(parser)
    parser.parse_args()
    home = install()
    sizes = package_sizes(home)
    whole, largest = round(sum(sizes.values())), list(sizes.items())[:6]
    print(f"core install: {whole} MB (limit {LIMIT_MB})")
    print("  largest: " + ", ".join(f"{name} {size:.0f} MB" for name, size in largest))
    facts = {f"{name}_mb": round(size, 1) for name, size in largest}
    task = "core install: what idbits and its dependencies add to an empty environment"
    record("install.core", task, whole, "MB", goals=[at_most(LIMIT_MB)], facts=facts)
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
