"""How large is idbits with its core dependencies? The sum of all files that pip installs into an empty environment.

    python bench/install_size.py

The wheel is built from this folder. Versions are those of constraints.txt. The sum includes the bytecode that pip
compiles, but not pip.
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
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def megabytes(path: Path) -> float:
    return sum(each.lstat().st_size for each in path.rglob("*") if each.is_file()) / 2**20


def install() -> Path:
    """Build the wheel and install it with its core dependencies into an empty folder."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    wheels, target = FOLDER / "wheels", FOLDER / "packages"
    subprocess.run([*PIP, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)], check=True)
    (wheel,) = wheels.glob("idbits-*.whl")
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*PIP, "install", "--target", str(target), *constraints, str(wheel)], check=True)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_json_option(parser)
    parser.parse_args()
    target = install()
    whole = megabytes(target)
    sizes = sorted(((megabytes(path), path.name) for path in target.iterdir() if path.is_dir()), reverse=True)[:8]
    print(f"core install: {whole:.0f} MB (limit {LIMIT_MB})")
    print("  largest: " + ", ".join(f"{name} {size:.0f} MB" for size, name in sizes))
    facts = {f"{name.replace('.', '_')}_mb": round(size, 1) for size, name in sizes[:5]}
    facts["packages"] = len(list(target.glob("*.dist-info")))
    record("install.core", "core install: all files of idbits and its dependencies", whole, "MB",
           goals=[at_most(LIMIT_MB)], facts=facts)  # fmt: skip
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
