"""Saved answers that somebody has tampered with: seeded mutations of an answer of every command.

A report that includes one is either a page, or a refusal in one clear line.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow

import idbits
from idbits.errors import IdbitsError
from idbits.studies.report.result import Report
from idbits.studies.report.saved import read_saved

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 2**31, 2**63, -(2**63), 10**400, 0.0, -0.0, 0.5, 1.5, -3.25, 1e-320, 1e308,
    float("nan"), float("inf"), float("-inf"), "", "inf", "-inf", "nan", "a", "2005-01", "2005-13-77", "2005-W99",
    "9999999-01-01", "all",
    "\x00", "\ud800", "\u2068", "\u202e", "<script>", "x" * 5000, [], [[]], [None], [0], [[1, 0]], {}, {"a": 1}, [{}],
    {"columns": []}, [1, "a", None, {}],
)  # fmt: skip


def saved_answers() -> dict[str, dict[str, Any]]:
    """Return an answer of every command that writes JSON about data, as it is saved."""
    rng = random.Random(7)
    rows = [(f"{rng.randrange(40)}", rng.choice("FM"), rng.randrange(90), rng.choice("ABCD")) for _ in range(300)]
    names = ("zip", "sex", "age", "town")
    people = pyarrow.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    visits = pyarrow.table(
        {
            "who": [f"p{rng.randrange(20)}" for _ in range(200)],
            "when": [f"2005-{1 + rng.randrange(3):02}-{1 + rng.randrange(28):02}" for _ in range(200)],
            "place": [str(rng.randrange(5)) for _ in range(200)],
        }
    )
    numbers = pyarrow.table({"a": [float(i % 17) for i in range(200)], "b": [rng.random() for _ in range(200)]})
    noisy = pyarrow.table({"a": [float(i % 17) + rng.random() for i in range(200)], "b": numbers["b"]})
    survey = {"population": 900, "questions": [{"name": "sex", "shares": [0.5, 0.5]}, {"name": "x", "share": 0.2}]}
    answers = {
        "measure": idbits.measure(people, ["zip", "sex"], by="town", values=True, suppress=5, reveal=True),
        "measure several": idbits.measure(people, [["zip"], ["sex", "age"]]),
        "inspect": idbits.inspect(people),
        "gain": idbits.gain(people),
        "columns": idbits.columns(people),
        "columns limits": idbits.columns(people, min_k=2),
        "events": idbits.events(visits, "who", "when", "place", "2005-01"),
        "events points": idbits.events(visits, "who", "when", "place", points="1..3,all", draws=100),
        "leak": idbits.leak(numbers, noisy),
        "predict": idbits.predict.uniqueness(k=29, values=95),
        "predict singletons": idbits.predict.singletons(k=60, values=95),
        "predict width": idbits.predict.width(distribution="normal:sd=5", width="1,2", k=10),
        "questionnaire": idbits.questionnaire(survey),
    }
    return {name: json.loads(answer.to_json()) for name, answer in answers.items()}


def mutated(answer: Any, rng: random.Random) -> Any:
    """Return an answer with one to four of its parts changed, dropped, repeated or moved."""
    found = copy.deepcopy(answer)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = [(holder, key) for holder, key in _places(found) if key not in ("schema", "command")]
        if not places:
            break
        holder, key = rng.choice(places)
        what = rng.randrange(6)
        if what == 0:
            del holder[key]
        elif what == 1:
            holder[key] = copy.deepcopy(rng.choice(places)[0])
        elif what == 2 and isinstance(holder[key], list) and holder[key]:
            holder[key] = holder[key] * rng.choice((0, 2, 40)) if rng.random() < 0.7 else holder[key][:1]
        elif what == 3 and isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            holder[key] = rng.choice((-holder[key], holder[key] * 1000, holder[key] + 0.5, holder[key] / 7))
        else:
            holder[key] = copy.deepcopy(rng.choice(ODD))
    return found


def _places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all places of an answer, those deep inside as well."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in list(inside):
        yield part, key
        yield from _places(value)


def page_without_answers() -> Report:
    """Return the report into which answers are put."""
    return idbits.report(pyarrow.table({"zip": ["1", "1", "2"], "sex": ["F", "M", "F"]}), ["zip", "sex"])


def outcome(text: str, page: Report, path: Path) -> str | None:
    """Include a saved answer in a page; return what went wrong, if it was no clear refusal."""
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        included = read_saved(path, internal=True)
        shown = replace(page, included=(included,), sections=("saved",))
        for made in (shown.to_html(), shown.to_markdown(), shown.to_json(), str(shown)):
            made.encode("utf-8")
    except IdbitsError as error:
        sentence = str(error)
        sentence.encode("utf-8")
        return None if sentence and "\n" not in sentence and len(sentence) < 500 else f"unclear: {sentence[:200]!r}"
    except Exception as error:  # noqa: BLE001 (that is what is looked for)
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {str(error)[:80]!r}"
    return None


def tampered(number: int, seed: int, folder: Path) -> Iterator[tuple[str, int, str]]:
    """Try so many mutations; yield command, seed and failure of those that fail."""
    answers, page = saved_answers(), page_without_answers()
    for place, (name, answer) in enumerate(answers.items()):
        if failure := outcome(json.dumps(answer), page, folder / "saved.json"):
            yield name, -1, failure
        for turn in range(number // len(answers)):
            own = (seed + turn) * len(answers) + place
            text = json.dumps(mutated(answer, random.Random(own)))
            if failure := outcome(text, page, folder / "saved.json"):
                yield name, own, failure
