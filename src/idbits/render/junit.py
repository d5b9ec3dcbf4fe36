"""Outcomes for pipelines: JUnit XML, and annotations for GitHub workflows."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from idbits.render.text import safe

__all__ = ["github_annotations", "junit_xml"]

Outcome = tuple[str, str, str, str]
"""A dataset, a rule, its outcome (PASS, WARN, FAIL, WAIVED, ERROR) and a sentence."""


def junit_xml(lines: Sequence[Outcome]) -> str:
    """Return one test case per rule: FAIL is a failure, ERROR an error; WARN and WAIVED are in the output.

    >>> print(junit_xml([("people", "k_min >= 5", "FAIL", "k_min is 1")]).splitlines()[1].strip())
    <testsuites name="idbits" tests="1" failures="1" errors="0">
    """
    root = ElementTree.Element("testsuites", {"name": "idbits", **_totals(lines)})
    for dataset in dict.fromkeys(line[0] for line in lines):
        about_dataset = [line for line in lines if line[0] == dataset]
        suite = ElementTree.SubElement(root, "testsuite", {"name": safe(dataset), **_totals(about_dataset)})
        for _, rule, word, sentence in about_dataset:
            case = ElementTree.SubElement(suite, "testcase", classname=safe(dataset), name=safe(rule))
            kind = {"FAIL": "failure", "ERROR": "error"}.get(word)
            if kind is not None:
                ElementTree.SubElement(case, kind, message=safe(sentence)).text = safe(sentence)
            elif word != "PASS":
                ElementTree.SubElement(case, "system-out").text = f"{word}: {safe(sentence)}"
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _totals(lines: Sequence[Outcome]) -> dict[str, str]:
    words = [line[2] for line in lines]
    return {"tests": str(len(words)), "failures": str(words.count("FAIL")), "errors": str(words.count("ERROR"))}


def github_annotations(lines: Sequence[Outcome], policy: str) -> str:
    """Return a workflow command for each rule that does not pass.

    >>> github_annotations([("people", "k_min >= 5", "FAIL", "k_min is 1")], "idbits.toml")
    '::error file=idbits.toml,title=people%3A k_min >= 5::k_min is 1\\n'
    """
    levels = {"FAIL": "error", "ERROR": "error", "WARN": "warning", "WAIVED": "notice"}
    return "".join(
        f"::{levels[word]} file={_property(policy)},title={_property(f'{dataset}: {rule}')}::{_data(sentence)}\n"
        for dataset, rule, word, sentence in lines
        if word in levels
    )


def _data(text: str) -> str:
    return safe(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
