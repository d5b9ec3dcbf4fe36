"""How fast the app responds, measured in a real browser (Debian's chromium, driven by Playwright).

    python bench/app.py [--examples FOLDER] [--rounds N]

The server is started as a user would start it (``idbits serve --demo``). *First page* is the time from the request
for ``/`` to the last byte of the answer, and until the page is built. *Reaction* is the time from a change to the
questionnaire (a question added, coarsened or dropped, a number typed) until the new answer is on the page. The goals
are 100 and 200 milliseconds. Typing waits 80 ms for the next digit, which is part of the reaction.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from rows import add_json_option, at_most, record

FIRST_PAGE_MS, REACTION_MS = 100.0, 200.0
# Acts, and calls back when the headline or the list of questions has been replaced.
REACT = """([selector, act, value]) => new Promise((done) => {
  const app = document.querySelector("#app"), began = performance.now();
  const watch = new MutationObserver(() => {
    if (document.querySelector("#app") === app || !document.querySelector(".headline")) return;
    watch.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  });
  watch.observe(document.body, {childList: true, subtree: true});
  const element = document.querySelector(selector);
  if (act === "click") element.click();
  else {
    element.value = value;
    element.dispatchEvent(new Event(act, {bubbles: true}));
  }
})"""


def react(page: Any, selector: str, act: str, value: str = "") -> float:
    """Act on the page and return the milliseconds until the answer is displayed."""
    # Wait as a person would: right after an answer, the new page does not listen yet.
    page.wait_for_timeout(100)
    return float(page.evaluate(REACT, [selector, act, value]))


def timed(page: Any, address: str) -> tuple[float, float]:
    page.goto(address)
    return tuple(
        page.evaluate(
            "() => { const [n] = performance.getEntriesByType('navigation');"
            " return [n.responseEnd - n.requestStart, n.domContentLoadedEventEnd - n.requestStart]; }"
        )
    )


def print_times(name: str, figures: list[float], promised: float) -> None:
    middle, late = statistics.median(figures), sorted(figures)[int(0.95 * (len(figures) - 1))]
    print(f"{name:42} {middle:7.1f} ms {late:7.1f} ms   {middle / promised:5.2f} of the goal of {promised:.0f} ms")
    key = name.replace("reaction: ", "").replace("first page, ", "first page ").replace(" ", "_")
    record(f"app.{key}", f"the app, {name}, median", middle, "ms", goals=[at_most(promised)], facts={"p95_ms": late})


def measure(link: str, address: str, rounds: int) -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is not installed; see tests/packages.sh")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(20_000)
        page.goto(link)
        answers, built = zip(*(timed(page, f"{address}/") for _ in range(rounds)), strict=True)
        first = page.locator("#adding-form button").first.get_attribute("id")
        added = page.locator("#adding-form button").first.get_attribute("value") or ""
        reactions: dict[str, list[float]] = {"add": [], "coarsen": [], "type": [], "drop": []}
        for turn in range(rounds):
            page.goto(f"{address}/?q=%3D60,40%7COwn&q=%3D30,30,20,20%7CFour")
            reactions["add"].append(react(page, f"#{first}", "click"))
            view = f"#view-{added.replace('.', '-')}"
            last = page.locator(f"{view} option").last.get_attribute("value") or ""
            reactions["coarsen"].append(react(page, view, "change", last))
            reactions["type"].append(react(page, "#people", "input", str(1000 + turn)))
            reactions["drop"].append(react(page, f"#drop-{added.replace('.', '-')}", "click"))
        keys = "&".join(f"q=%3D{50 + n},{50 - n}%7Cq{n}" for n in range(12))
        many = []
        for _ in range(rounds):
            page.goto(f"{address}/?{keys}")
            many.append(react(page, "#drop-q5", "click"))
        browser.close()
    print(f"{'':42} {'median':>10} {'95%':>10}")
    print_times("first page, last byte", list(answers), FIRST_PAGE_MS)
    print_times("first page, built", list(built), FIRST_PAGE_MS)
    for name, figures in reactions.items():
        print_times(f"reaction: {name}", figures, REACTION_MS)
    print_times("reaction: drop one of 12 questions", many, REACTION_MS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", help="folder of public statistics; those that come with idbits by default")
    parser.add_argument("--rounds", type=int, default=20)
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        more = ["--examples", options.examples] if options.examples else []
        command = [
            sys.executable,
            "-m",
            "idbits.cli.main",
            "serve",
            "--demo",
            "--quiet",
            "--port",
            "0",
            "--folder",
            folder,
            *more,
        ]
        began = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=os.environ
        ) as server:
            try:
                assert server.stdout is not None
                link = server.stdout.readline().strip()
                print(f"ready after {time.perf_counter() - began:.1f} s, examples counted")
                measure(link, link.partition("/open")[0], options.rounds)
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
