"""The head of a report and the decision on it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import idbits
from idbits.errors import InputError
from idbits.signing import SigningKey

SCHEMA = json.loads((Path(idbits.__file__).parent / "studies/report/about.schema.json").read_text(encoding="utf-8"))


def report(**options: object) -> idbits.Report:
    return idbits.report("people.csv", "zip,sex", sections="bits", **options)


def about(text: str) -> Path:
    path = Path("about.toml")
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_given_is_shown_and_the_rest_is_a_line_to_fill_in(folder: Path) -> None:
    made = report(about=about('dataset = "<script>"\nlegal_basis = "contract"\nnotes = ""\n'))
    data = json.loads(made.to_json())["about"]
    assert (data["dataset"], data["legal_basis"], data["purpose"], data["notes"]) == (
        "<script>",
        "contract",
        None,
        None,
    )
    html, markdown = made.to_html(), made.to_markdown()
    assert "<bdi>&lt;script&gt;</bdi>" in html
    assert "<script" not in html
    # Purpose, recipient, kept until, data owner, assessed by; name, date, reason, signature.
    assert html.count('class="blank') == markdown.count("_" * 40) == str(made).count("_" * 40) == 9
    assert html.count('class="box"') == 3
    assert "Notes" not in markdown


def test_without_the_file_the_page_has_lines_to_fill_in(folder: Path) -> None:
    made = report()
    assert made.to_html().count('class="blank') == 6 + 4
    assert "Decision" not in made.to_markdown()
    assert not {"about", "decision"} & set(json.loads(made.to_json()))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('recipent = "x"', 'unknown key "recipent"; did you mean "recipient"'),
        ('legal-basis = "x"', 'did you mean "legal_basis"'),
        ('colour = "x"', "the keys are dataset, purpose"),
        ("retention = 2030-01-01", '"retention" must be a text in quotes'),
        (f'notes = "{"x" * 1001}"', "has 1,001 characters; at most 1,000"),
        ("dataset = ", "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_one_sentence_and_the_schema_agrees(folder: Path, text: str, sentence: str) -> None:
    import tomllib

    with pytest.raises(InputError, match=sentence):
        report(about=about(text))
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)


def test_the_last_decision_about_the_same_data_and_columns_is_shown(folder: Path) -> None:
    SigningKey.generate().write(folder / "key.pem")
    Path("report.json").write_text(report().to_json(), encoding="utf-8")
    idbits.decide("report.json", "refuse", by="Earlier", why="too many", key="key.pem")
    idbits.decide("report.json", "approve", by="Later", why="line 1\nline 2", key="key.pem")
    Path("other.json").write_text(idbits.report("people.csv", "zip", sections="bits").to_json(), encoding="utf-8")
    recorded = idbits.decide("other.json", "refuse", by="Somebody else", why="of other columns")
    made = report(decision="decisions.jsonl")
    assert made.decision is not None
    assert (made.decision.by, made.decision.sequence) == ("Later", 2)
    assert json.loads(made.to_json())["decision"]["why"] == "line 1\nline 2"
    html = made.to_html()
    assert "Later" in html
    assert made.decision.reference in html
    assert 'class="box"' not in html
    assert "--decision decisions.jsonl" in made.origin.command
    assert recorded.record.reference not in html


def test_what_is_too_long_for_the_first_page_is_whole_in_the_evidence(folder: Path) -> None:
    purpose = "a " * 400 + "long purpose"
    html = report(about=about(f'purpose = "{purpose}"\nnotes = "a note"\nowner = "Census programme"\n')).to_html()
    first, evidence = html.split('<div class="evidence">')
    assert purpose not in first
    assert "a a a" in first
    assert purpose in evidence
    assert "a note" in evidence
    assert "Census programme" in first
    assert "Census programme" not in evidence


def test_changed_records_and_records_about_other_data_are_refused(folder: Path) -> None:
    idbits.decide("report.json", "refuse", by="A", why="b")
    with pytest.raises(InputError, match="no decision about these data and columns"):
        idbits.report("people.csv", "sex", sections="bits", decision=".")
    Path("people.csv").write_text(Path("people.csv").read_text(encoding="utf-8") + "10,F,x\n", encoding="utf-8")
    with pytest.raises(InputError, match="no decision about these data and columns"):
        report(decision="report.json")
    log = Path("decisions.jsonl")
    log.write_text(log.read_text(encoding="utf-8").replace('"refuse"', '"approve"'), encoding="utf-8")
    with pytest.raises(InputError, match="not as they were recorded"):
        report(decision="decisions.jsonl")
    with pytest.raises(InputError, match="there is no file"):
        report(decision="nothing.jsonl")
