"""Advice as text: what to publish, what that costs, the other treatments on the frontier, and what stays open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from idbits.render.attributes import plain_attribute
from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, count, decimal, outward, percent, share, to_places, whole_percent
from idbits.studies.advise.result import Advice, TreatmentPoint, view_of
from idbits.studies.shared.beside import verdict_beside
from idbits.studies.shared.plans import ALL, AS_IS
from idbits.studies.shared.presentation import show
from idbits.wording import counted, joined

__all__ = ["changed_columns", "how_searched", "publish_sentence", "spread_points"]

_MOST_ROWS = 12
_MOST_NAMES = 8
_MIXED = "The values then have mixed coarseness; tools that expect one code list will not read them."


@show.register
def _(advice: Advice) -> list[Block]:
    blocks: list[Block] = [_verdict(advice)]
    if max((_k_of(rule) for rule in advice.goal), default=0) > advice.n_rows:
        return [*blocks, Items("Not assessed", tuple(_not_assessed(advice)))]
    blocks.append(Paragraph(publish_sentence(advice)))
    if advice.best.levels is not None:
        blocks.append(_columns_table(advice))
    blocks.append(Paragraph(_losses(advice)))
    if len(advice.points) > 1:
        blocks.append(_frontier_table(advice))
    other = _alternatives(advice)
    blocks += [Items("Other ways", tuple(other))] if other else []
    blocks.append(Items("Not assessed", tuple(_not_assessed(advice))))
    if advice.next_command is not None:
        blocks.append(Command("Next, with the plan that --plan plan.json writes", advice.next_command))
    return blocks


def _verdict(advice: Advice) -> Verdict:
    best, unit = advice.best, advice.unit
    if not advice.reached:
        return Verdict(Level.BAD, "The goal is not reached", _why_not(advice))
    k, unique = best.figures["k_min"], best.figures["singletons"]
    sentence = f"Every group of the treated table has at least {unit.counted(k)}."
    if unique:
        are = "is" if unique == 1 else "are"
        sentence = (
            f"{joined(advice.goal)} hold{'s' if len(advice.goal) == 1 else ''}, but {unit.counted(unique)} {are} "
        )
        sentence += "unique."
    elif advice.as_is.figures["singletons"]:
        sentence += f" {unit.nobody} is unique any more."
    if advice.as_is.meets and best.levels is not None and not any(best.levels):
        sentence = f"The table meets the goal as it is. {sentence.replace('treated table', 'table')}"
    title = "The goal is reached"
    verdict = verdict_beside(Verdict(Level.WARN if unique else Level.GOOD, title, sentence), advice.beside)
    if verdict.title != title:
        verdict = replace(verdict, title=f"{title}, but {verdict.title[0].lower()}{verdict.title[1:]}")
    return verdict


def _why_not(advice: Advice) -> str:
    """Say which rule fails, for the treatment that comes closest."""
    failing = [outcome for outcome in advice.rules if not outcome.passed]
    n = advice.n_rows
    least = max((_k_of(rule) for rule in advice.goal), default=0)
    if least > n:
        return f"The table has only {advice.unit.counted(n)}, so no group can have {count(least)}."
    if failing:
        rules = joined([f'"{outcome.rule}"' for outcome in failing])
        fails = "fails" if len(failing) == 1 else "fail"
        return (
            f"No treatment we tried meets it while withholding at most {percent(advice.withhold_limit)} of the "
            f"{advice.unit}; for the one that comes closest, {rules} {fails}."
        )
    return f"No treatment we tried leaves {advice.unit.singular if n == 1 else advice.unit} who meet it."


def _k_of(rule: str) -> int:
    figure, _, rest = rule.partition(" ")
    digits = "".join(character for character in rest if character.isdigit() or character == ".")
    return int(float(digits)) if figure == "k_min" and digits else 0


def publish_sentence(advice: Advice, treatment: TreatmentPoint | None = None, name: Callable[[str], str] = str) -> str:
    """Say what to publish, whom to withhold and how much detail is kept; for the best treatment or another one.

    ``name`` returns a column with its view as it is shown in a sentence.
    """
    best, unit = treatment or advice.best, advice.unit
    parts = []
    if best.columns is not None:
        named = list(zip(best.columns, advice.ladders, strict=True))
        columns = [(view, ladder.column, ladder.source) for view, ladder in named]
        parts.append(f"Publish {_published(columns, name)}")
    else:
        ways = {
            "local": "one view per column for most people, and coarser ones for the rest",
            "sets": "a range or a list of values per group of similar people",
        }
        parts.append(f"Publish {ways['local' if best is advice.alternatives.local else 'sets']}")
    if best.withheld:
        part = share(best.withheld / advice.n_rows)
        parts.append(f"withhold {count(best.withheld)} of {unit.counted(advice.n_rows)} ({part})")
    else:
        parts.append(f"withhold {_nobody(advice)}")
    prefix = "" if best.meets else "The closest treatment: "
    kept = whole_percent(1 - advice.detail_lost(best))
    return f"{prefix}{'; '.join(parts)}. {kept} of the detail in these columns is kept."


def _published(columns: Sequence[tuple[str, str, str]], shown: Callable[[str], str]) -> str:
    """Return columns with their views in plain words; those with the same number of levels together."""
    unchanged, views, gone = [], [], []
    coarser: dict[int, list[str]] = {}
    for name, qid_name, column in columns:
        view = view_of(name, column)
        if name == qid_name:
            unchanged.append(shown(plain_attribute(name)))
        elif view == ALL:
            gone.append(shown(column))
        elif view.startswith("level "):
            coarser.setdefault(int(view.removeprefix("level ")), []).append(shown(column))
        else:
            views.append(shown(plain_attribute(name)))
    for levels, names in sorted(coarser.items()):
        views.append(f"{_few(names)} {'one level' if levels == 1 else f'{levels} levels'} coarser")
    parts = [_few(unchanged) + " as before"] if unchanged else []
    parts += views
    if not parts:
        return "none of these columns"
    return "; ".join(parts) + (f"; no {_few(gone)}" if gone else "")


def _few(names: Sequence[str]) -> str:
    """Return the first names and the number of the others."""
    rest = len(names) - _MOST_NAMES
    return joined(names if rest <= 1 else [*names[:_MOST_NAMES], counted(rest, "more column")])


def _columns_table(advice: Advice) -> TableBlock:
    best = advice.best
    assert best.levels is not None
    rows = []
    for index, (ladder, level) in enumerate(zip(advice.ladders, best.levels, strict=True)):
        rows.append(
            (
                ladder.source,
                ladder.start,
                ladder.views[level] if level else AS_IS,
                count(ladder.values[0]),
                count(ladder.values[level]),
                share(best.column_loss[index]),
            )
        )
    return TableBlock(
        "What becomes of the columns",
        ("column", "now", "becomes", "values now", "then", "detail lost"),
        rows,
        left=(0, 1, 2),
        caption=f"{ALL}: all values become one, so the column is given up. Withheld {advice.unit} lose all "
        "their detail.",
    )


def _losses(advice: Advice) -> str:
    loss = advice.best.loss
    parts = [f"{share(loss['cells'])} of the detail of cells (geometric mean {share(loss['cells_geometric'])})"]
    if loss["entropy_bits"] is not None:
        parts.append(f"{bits(loss['entropy_bits'])} bits per {advice.unit.singular}")
    if loss["mutual"] is not None:
        of = f" with {advice.use_for}" if advice.use_for is not None else " between the columns"
        parts.append(f"{share(max(0.0, loss['mutual']))} of the relationships{of} beyond chance")
    size = decimal(loss["class_size"]) if loss["class_size"] is not None else "no"
    text = f"Lost: {joined(parts)}. Groups have {size} {advice.unit} on average."
    model = loss["model"]
    if model is not None:
        text += (
            f" A simple model predicts {advice.use_for} for {share(model['after'])} of the {advice.unit}, "
            f"{share(model['before'])} before the treatment; always guessing the most frequent value is right for "
            f"{share(model['majority'])}."
        )
    return f"{text} {how_searched(advice)}"


def how_searched(advice: Advice) -> str:
    """Say how many treatments were measured, and whether a better one may exist."""
    nodes = advice.nodes
    tried = f"We measured {count(nodes.measured)} of {counted(nodes.lattice, 'treatment')}"
    if advice.best.levels is None:
        return f"{tried} with one view per column."
    if advice.optimal and advice.reached:
        return f"{tried}; none has a smaller loss ({advice.loss})."
    if advice.stopped is not None:
        bound = outward(advice.lower_bound, down=True, places=4)
        return (
            f"{tried}, then {advice.stopped}. A smaller loss ({advice.loss}) is possible; it cannot be below {bound}."
        )
    if not advice.optimal:
        bound = outward(advice.lower_bound, down=True, places=4)
        return f"{tried}. A smaller loss ({advice.loss}) is possible; it cannot be below {bound}."
    return f"{tried}."


def _frontier_table(advice: Advice) -> TableBlock:
    shown = spread_points(advice)
    rows, emphasis = [], []
    for row, index in enumerate(shown):
        point = advice.points[index]
        if point.levels == advice.best.levels and point.withheld == advice.best.withheld:
            emphasis.append(row)
        figures = point.figures
        rows.append(
            (
                count(index + 1),
                changed_columns(point, advice),
                count(figures["singletons"]),
                count(figures["people_below"].get("5")),
                count(point.withheld),
                share(1 - advice.detail_lost(point)),
                "yes" if point.meets else "no",
            )
        )
    rest = len(advice.points) - len(shown)
    caption = (
        f"below 5: {advice.unit} in groups smaller than 5; kept: detail. No other treatment has less risk "
        f"({advice.risk}) without more loss ({advice.loss})."
    )
    if not advice.frontier_complete:
        caption = caption.replace("No other treatment", "No other treatment that we measured")
    caption += f" {counted(rest, 'more treatment')} in --json." if rest else ""
    return TableBlock(
        "Risk against detail",
        ("no.", "treatment", "unique", "below 5", "withheld", "kept", "goal"),
        rows,
        left=(1, 6),
        caption=caption,
        emphasis=tuple(emphasis),
    )


def spread_points(advice: Advice) -> list[int]:
    """Return the treatments to show, spread over the frontier, with the best one among them."""
    number = len(advice.points)
    if number <= _MOST_ROWS:
        return list(range(number))
    chosen = {index * (number - 1) // (_MOST_ROWS - 2) for index in range(_MOST_ROWS - 1)}
    best = [
        index
        for index, point in enumerate(advice.points)
        if point.levels == advice.best.levels and point.withheld == advice.best.withheld
    ]
    return sorted(chosen | set(best[:1]))


def changed_columns(point: TreatmentPoint, advice: Advice) -> str:
    """Return the columns that a treatment changes, each with its view."""
    if point.levels is None:
        return "mixed"
    changed = [
        f"{ladder.column} {ladder.views[level]}"
        for ladder, level in zip(advice.ladders, point.levels, strict=True)
        if level
    ]
    if changed and all(text.endswith(f" {ALL}") for text in changed) and len(changed) == len(advice.ladders):
        return "all columns given up"
    return ", ".join(changed) or AS_IS


def _alternatives(advice: Advice) -> list[str]:
    items = []
    neighbour, best, unit = advice.neighbour, advice.best, advice.unit
    if neighbour is not None:
        more = 100 * (advice.detail_lost(neighbour) - advice.detail_lost(best))
        items.append(
            f"Nearly as good: {changed_columns(neighbour, advice)}. It withholds {count(neighbour.withheld)} instead "
            f"of {unit.counted(best.withheld)} and loses {to_places(more, 1)} percentage points more detail."
        )
    if advice.method in ("sets", "local") and best.levels is not None:
        items.append(
            f"Mixed coarseness (--method {advice.method}) does not meet the goal; this is one view per column."
        )
    for name, point in (("sets", advice.alternatives.sets), ("local", advice.alternatives.local)):
        if point is not None and point.meets and point is not best:
            items.append(_regional(name, point, advice))
    return items


def _regional(name: str, point: TreatmentPoint, advice: Advice) -> str:
    how = {
        "sets": "Groups of similar people, each with its own ranges or lists of values",
        "local": "One treatment for most people, and coarser ones for the rest",
    }[name]
    lost, lost_by_best = share(advice.detail_lost(point)), share(advice.detail_lost(advice.best))
    compared = f"{lost} of the detail instead of {lost_by_best}" if lost != lost_by_best else f"as much detail ({lost})"
    withheld = advice.unit.counted(point.withheld) if point.withheld else _nobody(advice)
    return f"{how} (--method {name}) would withhold {withheld} and lose {compared}. {_MIXED}"


def _nobody(advice: Advice) -> str:
    return "nobody" if advice.unit.nobody == "Nobody" else f"no {advice.unit}"


def _not_assessed(advice: Advice) -> Sequence[str]:
    items = []
    if not advice.sensitive:
        items.append(
            "People in the same group may still share a sensitive value; name such a column with --sensitive, and a "
            'goal such as "l_distinct.COLUMN >= 2".'
        )
    else:
        items.append(
            f"{joined(advice.sensitive).capitalize()}: only the figures in the goal are reached; idbits disclosure "
            "measures what the groups give away."
        )
    if advice.has_other_columns:
        items.append("Columns outside --qid stay as they are and were not considered.")
    items.append("An attacker who knows how the treatment was chosen and reasons backwards from it.")
    return items
