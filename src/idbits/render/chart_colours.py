"""The style of a page written into its charts: concrete colours, sizes and descriptions instead of CSS.

WeasyPrint draws each chart as a document of its own, which knows neither the variables nor the rules of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["style_charts"]

_SVG = "{http://www.w3.org/2000/svg}"
# What rules of the page may say about parts of a chart; fonts are those of the page.
_PAINTED = frozenset({
    "color", "dominant-baseline", "fill", "fill-opacity", "font-size", "font-style", "font-weight", "letter-spacing",
    "opacity", "stroke", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-opacity", "stroke-width",
    "text-anchor", "visibility",
})  # fmt: skip
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*([^()]*))?\)")
_MOST_STEPS = 10


@dataclass(frozen=True, slots=True)
class _Inherited:
    """What an element passes on to the elements in it."""

    variables: Mapping[str, str]
    colour: str
    is_chart: bool


def style_charts(root: Any, family: str) -> None:
    """Write the rules for print into the charts of a parsed page, and what they show as their titles.

    Args:
        root: the page, a ``cssselect2.ElementWrapper``.
        family: the font of all texts in charts.
    """
    matcher = _rules_for_print(root)
    described = {element.id: element for element in root.iter_subtree() if element.id}
    inherited: dict[Any, _Inherited] = {None: _Inherited({}, "#000000", is_chart=False)}
    for element in list(root.iter_subtree()):
        node = element.etree_element
        above = inherited[element.parent.etree_element if element.parent is not None else None]
        declared = {name: value for *_, declarations in matcher.match(element) for name, value in declarations}
        given = {name: value for name, value in declared.items() if name.startswith("--")}
        variables = above.variables
        if given:
            known = {**above.variables, **given}
            variables = known | {name: _resolved(value, known) for name, value in given.items()}
        colour = _resolved(declared.get("color", above.colour), variables)
        is_chart = above.is_chart or node.tag == f"{_SVG}svg"
        inherited[node] = _Inherited(variables, above.colour if colour in ("inherit", "") else colour, is_chart)
        if is_chart:
            _paint(node, declared, inherited[node])
        if node.tag == f"{_SVG}svg":
            node.set("font-family", family)
            _describe(node, described.get(node.get("aria-labelledby")))


def _paint(node: Any, declared: Mapping[str, str], inherited: _Inherited) -> None:
    """Write the values of rules and variables into the attributes of an element of a chart."""
    node.attrib.pop("font-family", None)
    for name, value in list(node.attrib.items()):
        if "var(" in value:
            node.set(name, _resolved(value, inherited.variables))
    for name, value in declared.items():
        if name in _PAINTED and value != "inherit":
            node.set(name, _resolved(value, inherited.variables))
    if node.tag == f"{_SVG}text":
        # WeasyPrint knows no paint-order: it would draw the halo of a text over the text.
        node.attrib.pop("stroke", None)
    node.set("color", inherited.colour)


def _describe(node: Any, words: Any) -> None:
    """Give a chart a title: what it shows, as another element of the page says it."""
    if words is None:
        return
    title = node.makeelement(f"{_SVG}title", {})
    title.text = " ".join("".join(words.etree_element.itertext()).split())
    node.insert(0, title)


def _resolved(value: str, variables: Mapping[str, str]) -> str:
    """Return a value without variables.

    >>> _resolved("1px solid var(--line)", {"--line": "var(--rule)", "--rule": "#ccc"})
    '1px solid #ccc'
    >>> _resolved("var(--unknown, red)", {})
    'red'
    """
    for _ in range(_MOST_STEPS):
        if "var(" not in value:
            break
        value = _VARIABLE.sub(lambda found: variables.get(found[1], found[2] or ""), value)
    return value.strip()


def _rules_for_print(root: Any) -> Any:
    """Return the rules of the page that apply on paper, as a ``cssselect2.Matcher``."""
    import cssselect2
    import tinycss2

    matcher = cssselect2.Matcher()
    for element in root.iter_subtree():
        if element.etree_element.tag != "style":
            continue
        sheet = tinycss2.parse_stylesheet(element.etree_element.text or "", skip_comments=True, skip_whitespace=True)
        for rule in _printed(sheet):
            declarations = [
                (each.lower_name if each.name[:2] != "--" else each.name, tinycss2.serialize(each.value).strip())
                for each in tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
                if each.type == "declaration"
            ]
            for selector in cssselect2.compile_selector_list(rule.prelude):
                if selector.pseudo_element is None and not selector.never_matches:
                    matcher.add_selector(selector, declarations)
    return matcher


def _printed(rules: Any) -> Iterator[Any]:
    """Yield the rules that are not only for screens."""
    import tinycss2

    for rule in rules:
        if rule.type == "qualified-rule":
            yield rule
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and _is_for_paper(rule):
            yield from _printed(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))


def _is_for_paper(rule: Any) -> bool:
    import tinycss2

    return tinycss2.serialize(rule.prelude).strip().lower() in ("print", "all")
