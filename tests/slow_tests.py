"""Measures the tests of the quick loop, and lists those that take too long for it in ``slow_tests.txt``.

    python tests/slow_tests.py ENGINES

``make slow-tests`` calls it. Run it on a machine that does nothing else; a list made elsewhere only shifts the border.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

LONGEST_SECONDS = 0.3
"""A test with a case that takes longer is not in the quick loop."""

MARKS = "not (spark or server or browser or docs or process or big)"
TESTS = Path(__file__).parent
LIST = TESTS / "slow_tests.txt"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "times.xml"
        run_quick_tests(sys.argv[1], times)
        slow = sorted(name for name, seconds in longest_cases(times).items() if seconds > LONGEST_SECONDS)
    LIST.write_text("".join(f"{name}\n" for name in slow), encoding="utf-8")
    print(f"{len(slow)} tests take over {LONGEST_SECONDS} s: {LIST.relative_to(TESTS.parent)}")


def run_quick_tests(engines: str, times: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-m", MARKS, "--constructors", engines]
    command += ["--hypothesis-profile", "quick", "--junit-xml", str(times), "-o", "junit_duration_report=call"]
    subprocess.run(command, check=True, cwd=TESTS.parent, env=os.environ | {"IDBITS_SLOW_TESTS": "unmarked"})


def longest_cases(times: Path) -> dict[str, float]:
    """Return the seconds of the slowest case of each test, by file and name."""
    longest: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(times).iter("testcase"):
        place = case.attrib["classname"].removeprefix("tests.").replace(".", "/")
        test = f"{place}.py::{case.attrib['name'].partition('[')[0]}"
        longest[test] = max(longest[test], float(case.attrib["time"]))
    return {test: seconds for test, seconds in longest.items() if (TESTS / test.partition("::")[0]).is_file()}


if __name__ == "__main__":
    main()
