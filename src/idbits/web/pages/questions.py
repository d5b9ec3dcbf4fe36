"""The first page: how identifying are these questions?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import InputError
from idbits.measures.crowd import bits_given_away
from idbits.render import numbers
from idbits.render.numbers import bits, count
from idbits.render.pictures import crowd_picture, crowd_unit, range_picture
from idbits.studies.questionnaire.result import Crowd
from idbits.studies.shared.serialisation import to_json
from idbits.web.questions.asked import Answer, Help, Item, answer
from idbits.web.questions.bank import Bank, Pick
from idbits.web.questions.published import with_published
from idbits.web.questions.state import MOST_QUESTIONS, Own, State
from idbits.web.rendering import render_page

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_SMALL, _FEW = 5, 50
_MOST_HELPS = 4


@router.get("/")
def questions(request: Request) -> Response:
    """Show the questions of a link, and how many people share the answers."""
    parameters = list(request.query_params.multi_items())
    bank = _bank(request, parameters)
    problem, typed = None, dict(parameters)
    try:
        state = State.read(parameters)
    except InputError as error:
        problem, state = (
            str(error),
            State(asked=tuple(value for name, value in parameters if name == "q")[:MOST_QUESTIONS]),
        )
    try:
        after = state.after(typed) if problem is None else state
    except InputError as error:
        problem, after = str(error), state
    if after.place == "other" and after.people is None:
        # A number to start from.
        after = replace(after, people=next(place.people for place in bank.places if place.people))
    with_script = request.headers.get("hx-request") == "true"
    if problem is None and not with_script and parse_qsl(after.query) != parameters:
        # One address for one state: without the button that was pressed and the fields that were left empty.
        return RedirectResponse(after.address(), status_code=303)
    try:
        found = answer(bank, after)
    except InputError as error:
        problem, found = str(error), answer(bank, State(asked=after.asked))
    page = render_page(
        request,
        "questions.html",
        status_code=200 if problem is None or with_script else 400,
        problem=problem,
        typed=typed if problem is not None else {},
        json_address=found.state.address("/questions.json"),
        **_shown(bank, found),
    )
    if with_script:
        page.headers["HX-Push-Url"] = found.state.address()
    return page


@router.get("/questions.json")
def questions_json(request: Request) -> Response:
    """Return the same as data."""
    parameters = list(request.query_params.multi_items())
    found = answer(_bank(request, parameters), State.read(parameters), strict=True)
    return Response(to_json(found.to_dict()), media_type="application/json")


def _bank(request: Request, parameters: Sequence[tuple[str, str]]) -> Bank:
    """Return the questions to pick from, with the entries of the repository that the address names."""
    named = [value for name, value in parameters[: 2 * MOST_QUESTIONS] if name in ("q", "add")]
    return with_published(request.app.state.shelf.bank(), request.app.state.repository, named)


def _shown(bank: Bank, found: Answer) -> dict[str, Any]:
    crowd = found.crowd
    asked = {item.asked.question.key for item in found.items if isinstance(item.asked, Pick)}
    groups = [
        (place, [question for question in bank.questions if question.place.key == place.key])
        for place in sorted(bank.places, key=lambda place: found.place is not None and place.key != found.place.key)
    ]
    typical = crowd.expected if crowd.expected is not None else crowd.expected_at_most
    return {
        "found": found,
        "places": [place for place in bank.places if place.people],
        "groups": [(place, own) for place, own in groups if own and not place.key.startswith("entry.")],
        "asked": asked,
        "items": [_item(item, place, found) for place, item in enumerate(found.items)],
        "headline": _headline(crowd) if found.items else f"{numbers.about(found.people)} people",
        "level": "bad" if typical < _SMALL else "warn" if typical < _FEW else "good",
        "likeness": numbers.as_many_as(typical),
        "picture": Markup(crowd_picture(typical)),  # noqa: S704 (numbers only)
        "unit": numbers.about(crowd_unit(typical)) if typical > 1 else "",
        "scale": _range(found.people, crowd, marks=True),
        "cases": _cases(found.people, crowd),
        "drops": [_help(one) for one in found.drops if one.change.times >= 1.05][:_MOST_HELPS],
        "coarser": [_help(one) for one in _best(found.coarser)],
        "order": _order(found),
        "sources": list(dict.fromkeys(item.source for item in found.items if item.source is not None)),
        "everyone": numbers.about(found.people),
        "all_bits": bits(bits_given_away(found.people, 1)),
        "exactly": count(found.place.people) if found.place is not None else "",
        "full": len(found.items) >= MOST_QUESTIONS,
        "print_address": found.state.address(),
    }


def _range(everyone: float, crowd: Crowd, *, marks: bool = False) -> Markup:
    picture = range_picture(everyone, crowd.best_case, crowd.expected, crowd.worst_case, marks=marks)
    return Markup(picture)  # noqa: S704 (numbers only)


def _bits(everyone: float, left: float) -> str:
    """Return what has been given away when so many are left; with nobody else left, there is no more to give away."""
    if left < 1:
        return f"all {bits(bits_given_away(everyone, 1))}"
    return bits(abs(bits_given_away(everyone, left)))


def _cases(everyone: float, crowd: Crowd) -> list[dict[str, str]]:
    """Return best, typical and worst as words: a name, people, bits, and what it means."""
    typical, most = crowd.expected, ""
    if typical is None:
        typical, most = crowd.expected_at_most, "at most "
    cases = [
        ("best", "Best case", crowd.best_case, "", "You gave the most common answer to everything."),
        ("typical", "Typical", typical, most, "Your answers give away as much as the average."),
    ]
    found = [
        {
            "key": key,
            "name": name,
            "people": f"{more}{numbers.about(left, math.ceil)}" if more and left >= 1 else numbers.about(left),
            "bits": _bits(everyone, left),
            "meaning": meaning,
        }
        for key, name, left, more, meaning in cases
    ]
    if crowd.expected is None and typical >= 1:
        # A bound from below is rounded down, but for the noise of the last digits.
        least = math.floor(100 * bits_given_away(everyone, typical) + 1e-6) / 100
        found[1]["bits"] = f"at least {bits(least)}"
    worst = {"key": "worst", "name": "Worst case", "meaning": "You gave the rarest answer to everything."}
    if crowd.worst_case is None:
        return [*found, worst | {"people": "not known", "bits": "not known"}]
    return [*found, worst | {"people": numbers.about(crowd.worst_case), "bits": _bits(everyone, crowd.worst_case)}]


def _headline(crowd: Crowd) -> str:
    typical = crowd.expected
    if typical is None:
        most = crowd.expected_at_most
        return "Probably nobody but you" if most < 2 else f"At most {numbers.about(most, math.ceil)} people"
    return "Probably nobody but you" if typical < 2 else f"About {numbers.about(typical)} people"


def _item(item: Item, place: int, found: Answer) -> dict[str, Any]:
    own = isinstance(item.asked, Own)
    given = None if item.given_bits is None else bits(item.given_bits)
    return {
        "name": item.name,
        "key": item.key,
        "id": f"q{place}" if own else item.asked.question.key.replace(".", "-"),  # type: ignore[union-attr]
        "own": item.asked if own else None,
        "views": []
        if own
        else [(Pick(item.asked.question, view).key, view.label) for view in item.asked.question.views],  # type: ignore[union-attr]
        "text": item.name if own else item.asked.question.text,  # type: ignore[union-attr]
        "place": place,
        "bits": given,
        "leaves": numbers.one_in(item.given_bits) if item.given_bits is not None else None,
        "cases": _cases(found.people, item.crowd),
        "range": _range(found.people, item.crowd),
    }


def _help(one: Help) -> dict[str, str]:
    crowd = one.change.crowd
    left = numbers.about(crowd.expected) if crowd.expected is not None else f"{numbers.about(crowd.best_case)} at best"
    return {
        "question": one.change.question,
        "view": one.change.view or "",
        "times": numbers.fold(one.change.times),
        "left": left,
        "address": one.state.address(),
    }


def _best(helps: tuple[Help, ...]) -> list[Help]:
    """Return what helps most, the next coarser way of each question only."""
    first: dict[str, Help] = {}
    for one in helps:
        first.setdefault(one.change.question, one)
    useful = [one for one in first.values() if one.change.times >= 1.05]
    return sorted(useful, key=lambda one: -one.change.times)[:_MOST_HELPS]


def _order(found: Answer) -> dict[str, str] | None:
    """Return the order in which the crowd stays large for longest, where it is another one."""
    if found.result is None or len(found.items) < 2 or found.result.order == tuple(item.name for item in found.items):
        return None
    keys = {item.name: item.key for item in found.items}
    state = State(found.state.place, found.state.people, tuple(keys[name] for name in found.result.order))
    return {"names": ", ".join(found.result.order), "address": state.address()}
