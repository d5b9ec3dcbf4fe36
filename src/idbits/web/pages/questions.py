"""The first page: how identifying are these questions?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qsl

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from idbits.errors import InputError
from idbits.measures.crowd import bits_given_away
from idbits.render.landmarks import as_many_as
from idbits.render.numbers import about, bits, count, estimated_share, fold, nearest, one_in
from idbits.render.pictures import crowd_picture, crowd_unit, range_picture
from idbits.studies.questionnaire.result import FEW_PEOPLE, SMALL_GROUP, Crowd
from idbits.studies.shared.serialisation import to_json
from idbits.web.browser import comes_from_script, render_page
from idbits.web.questions.answering import AskedQuestion, CrowdAnswer, Suggestion, answer_link
from idbits.web.questions.bank import Bank, Pick
from idbits.web.questions.link import MOST_QUESTIONS, QuestionLink
from idbits.web.questions.published import ENTRY_PREFIX, with_published
from idbits.web.state import state_of
from idbits.web.wording import as_sentence
from idbits.wording import joined

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_MOST_SUGGESTIONS = 4
# A tip must make a difference that people notice.
_LEAST_TIMES = 1.25


@router.get("/")
def questions(request: Request) -> Response:
    """Show the questions of a link, and how many people give the same answers."""
    parameters = list(request.query_params.multi_items())
    bank = _bank(request, parameters)
    problem, typed = None, dict(parameters)
    try:
        link = QuestionLink.read(parameters)
    except InputError as error:
        keys = [value for name, value in parameters if name == "q"]
        problem, link = str(error), QuestionLink(asked=tuple(keys[:MOST_QUESTIONS]))
    try:
        link = link.after(typed) if problem is None else link
    except InputError as error:
        problem = str(error)
    if link.place == "other" and link.people is None:
        # A number to start with.
        link = replace(link, people=next(place.people for place in bank.places if place.people))
    with_script = comes_from_script(request)
    if problem is None and not with_script and parse_qsl(link.query) != parameters:
        # One address per state, without the pressed button and the empty fields.
        return RedirectResponse(link.address(), status_code=303)
    try:
        answer = answer_link(bank, link)
    except InputError as error:
        problem, answer = str(error), answer_link(bank, QuestionLink(asked=link.asked))
    page = render_page(
        request,
        "questions.html",
        200 if problem is None or with_script else 400,
        problem=as_sentence(problem) if problem is not None else None,
        typed=typed if problem is not None else {},
        json_address=answer.link.address("/questions.json"),
        **_shown(bank, answer),
    )
    if with_script:
        page.headers["HX-Push-Url"] = answer.link.address()
    return page


@router.get("/questions.json")
def questions_json(request: Request) -> Response:
    """Return the same as data."""
    parameters = list(request.query_params.multi_items())
    answer = answer_link(_bank(request, parameters), QuestionLink.read(parameters), strict=True)
    return Response(to_json(answer.to_dict()), media_type="application/json")


def _bank(request: Request, parameters: Sequence[tuple[str, str]]) -> Bank:
    """Return the questions to choose from, with the repository entries in the address."""
    named = [value for name, value in parameters[: 2 * MOST_QUESTIONS] if name in ("q", "add")]
    state = state_of(request)
    bank = state.example_bank.bank()
    published = [key for key in named if key.startswith(ENTRY_PREFIX)]
    return with_published(bank, state.shown_repository(), published) if published else bank


def _shown(bank: Bank, answer: CrowdAnswer) -> dict[str, object]:
    crowd, place = answer.crowd, answer.place
    groups = [
        (group, [question for question in bank.questions if question.place.key == group.key])
        for group in sorted(bank.places, key=lambda group: place is not None and group.key != place.key)
        if not group.key.startswith(ENTRY_PREFIX)
    ]
    typical = crowd.expected if crowd.expected is not None else crowd.expected_at_most
    return {
        "answer": answer,
        "places": [place for place in bank.places if place.people],
        "groups": [(group, questions) for group, questions in groups if questions],
        "asked": {item.asked.question.key for item in answer.questions if isinstance(item.asked, Pick)},
        "items": [_shown_question(item, index, answer.people) for index, item in enumerate(answer.questions)],
        "headline": _headline(crowd) if answer.questions else f"{about(answer.people)} people",
        "level": "bad" if typical < SMALL_GROUP else "warn" if typical < FEW_PEOPLE else "good",
        "likeness": as_many_as(typical),
        "picture": Markup(crowd_picture(typical)),  # noqa: S704 (numbers only)
        "unit": about(crowd_unit(typical)) if typical > 1 else "",
        "scale": _range(answer.people, crowd, marks=True),
        "cases": _cases(answer.people, crowd),
        "unique": _unique_sentence(answer) if answer.questions else "",
        "drops": [_shown_suggestion(drop, crowd) for drop in _drops_in_order(answer) if _is_worthwhile(drop, crowd)][
            :_MOST_SUGGESTIONS
        ],
        "coarser": [_shown_suggestion(suggestion, crowd) for suggestion in _best(answer.coarser, crowd)],
        "several": _shown_drops(answer),
        "order": _order(answer),
        "sources": list(dict.fromkeys(item.source for item in answer.questions if item.source is not None)),
        "everyone": about(answer.people),
        "all_bits": bits(bits_given_away(answer.people, 1)),
        "exactly": count(place.people) if place is not None else "",
        "full": len(answer.questions) >= MOST_QUESTIONS,
        "print_address": answer.link.address(),
    }


def _range(everyone: float, crowd: Crowd, *, marks: bool = False) -> Markup:
    picture = range_picture(everyone, crowd.best_case, crowd.expected, crowd.worst_case, marks=marks)
    return Markup(picture)  # noqa: S704 (numbers only)


def _bits(everyone: float, left: float) -> str:
    """Return the bits given away if this many people are left; below one person, all bits are given away."""
    if left < 1:
        return f"all {bits(bits_given_away(everyone, 1))}"
    return bits(abs(bits_given_away(everyone, left)))


def _cases(everyone: float, crowd: Crowd) -> list[dict[str, str]]:
    """Return the best, typical and worst case in words: name, people, bits and meaning."""
    typical = crowd.expected
    cases = [
        ("best", "Best case", crowd.best_case, "You gave the most common answer to everything."),
        ("typical", "Typical", typical, "Your answers give away as much as average answers."),
        ("worst", "Worst case", crowd.worst_case, "You gave the rarest answer to everything."),
    ]
    shown = [
        {
            "key": key,
            "name": name,
            "people": about(left) if left is not None else "not known",
            "bits": _bits(everyone, left) if left is not None else "not known",
            "meaning": meaning,
        }
        for key, name, left, meaning in cases
    ]
    if typical is None:
        most = crowd.expected_at_most
        shown[1] |= {"people": about(most), "bits": _bits(everyone, most)}
        if most >= 1:
            # A lower bound is rounded down, except for floating-point noise.
            least = math.floor(100 * bits_given_away(everyone, most) + 1e-6) / 100
            shown[1] |= {"people": f"at most {about(most, math.ceil)}", "bits": f"at least {bits(least)}"}
    return shown


def _headline(crowd: Crowd) -> str:
    typical = crowd.expected
    if typical is None:
        most = crowd.expected_at_most
        return "Probably nobody but you" if most < 2 else f"At most {about(most, math.ceil)} people"
    return "Probably nobody but you" if typical < 2 else f"About {about(typical)} people"


def _shown_question(item: AskedQuestion, index: int, people: int) -> dict[str, object]:
    shown = {
        "name": item.name,
        "key": item.key,
        "index": index,
        "bits": None if item.given_bits is None else bits(item.given_bits),
        "leaves": None if item.given_bits is None else one_in(item.given_bits),
        "cases": _cases(people, item.crowd),
        "range": _range(people, item.crowd),
    }
    if isinstance(item.asked, Pick):
        question = item.asked.question
        views = [(Pick(question, view).key, view.label) for view in question.views]
        return shown | {"id": question.key.replace(".", "-"), "own": None, "views": views, "text": question.text}
    return shown | {"id": f"q{index}", "own": item.asked, "views": [], "text": item.name}


def _unique_sentence(answer: CrowdAnswer) -> str:
    """Return how many people would be unique if everyone answered."""
    unique = answer.crowd.unique_people
    if unique is None:
        return "How many people would be unique is not known: that needs the shares of all answers."
    if nearest(unique) == 0:
        return f"If all {about(answer.people)} people answered, hardly anyone would be unique."
    part = estimated_share(unique / answer.people)
    people = f"about {about(unique, nearest)} of them ({part})" if nearest(unique) > 1 else "about one of them"
    return f"If all {about(answer.people)} people answered, {people} would be unique: nobody else gives their answers."


def _drops_in_order(answer: CrowdAnswer) -> list[Suggestion]:
    """Return the questions to drop, the one that helps most first."""
    best = answer.result.question_to_drop if answer.result is not None else None
    return sorted(answer.drops, key=lambda drop: drop.change.question != best)


def _shown_suggestion(suggestion: Suggestion, now: Crowd) -> dict[str, str]:
    change = suggestion.change
    return {
        "question": change.question,
        "view": change.view or "",
        "effect": _effect(change.crowd, now, change.times),
        "unique": _unique_left(change.crowd, now),
        "address": suggestion.link.address(),
    }


def _effect(after: Crowd, now: Crowd, times: float | None = None) -> str:
    """Return how many people a change leaves; compared with now, unless nobody else is left now."""
    left = about(after.expected) if after.expected is not None else f"{about(after.best_case)} at best"
    if now.typical < 2 or times is None:
        return f"leaves {left if after.expected is None else f'about {left}'} people"
    return f"{fold(times)} times as many people are left ({left})"


def _unique_left(after: Crowd, now: Crowd) -> str:
    """Return how many people would be unique after a change; nothing if hardly anyone is now."""
    if after.unique_people is None or not nearest(now.unique_people or 0.0):
        return ""
    people = nearest(after.unique_people)
    return f"; {about(people) if people else 'hardly anyone'} would be unique"


def _is_worthwhile(suggestion: Suggestion, now: Crowd) -> bool:
    """Whether a change leaves noticeably more people, and anybody else at all."""
    after = suggestion.change.crowd.typical
    return after >= 2 and suggestion.change.times >= _LEAST_TIMES and math.floor(after) > math.floor(now.typical)


def _best(suggestions: tuple[Suggestion, ...], now: Crowd) -> list[Suggestion]:
    """Return the suggestions that help most: for each question, the finest way to ask it that helps."""
    first: dict[str, Suggestion] = {}
    for suggestion in suggestions:
        if _is_worthwhile(suggestion, now):
            first.setdefault(suggestion.change.question, suggestion)
    return sorted(first.values(), key=lambda suggestion: -suggestion.change.times)[:_MOST_SUGGESTIONS]


def _shown_drops(answer: CrowdAnswer) -> dict[str, str] | None:
    """Return the questions to drop together, if no single change leaves anybody else."""
    several = answer.several
    single = (*answer.drops, *answer.coarser)
    if several is None or any(suggestion.change.crowd.typical >= SMALL_GROUP for suggestion in single):
        return None
    crowd = several.drops.crowd
    names = joined(several.drops.questions)
    return {
        "names": names,
        "effect": _effect(crowd, answer.crowd),
        "unique": _unique_left(crowd, answer.crowd),
        "address": several.link.address(),
    }


def _order(answer: CrowdAnswer) -> dict[str, str] | None:
    """Return the order in which the group stays large for longest, if it differs from the present one."""
    keys = {item.name: item.key for item in answer.questions}
    if answer.result is None or len(keys) < 2 or answer.result.order == tuple(keys):
        return None
    link = QuestionLink(answer.link.place, answer.link.people, tuple(keys[name] for name in answer.result.order))
    return {"names": ", ".join(answer.result.order), "address": link.address()}
