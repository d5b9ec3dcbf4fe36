"""The page of a report: no script, nothing loaded, well formed, small, and it says what the JSON says."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import idbits
from idbits.examples.registry import registry
from idbits.render import numbers
from idbits.render.attributes import plain_attribute

VOID = {"meta", "br", "img", "link", "input", "hr"}
LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "xlink:href"}
LIMIT = 500_000


class Reader(HTMLParser):
    """Reads a page: tags must nest, and every table is kept by its caption."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.rows: list[list[str]] = []
        self.caption = ""
        self.data: list[tuple[str, str]] = []
        self.headings: list[int] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "data":
            self.data.append((dict(attributes)["value"] or "", ""))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "table":
            self.tables[self.caption] = self.rows

    def handle_data(self, text: str) -> None:
        if "style" in self.open:
            return
        self.text += text
        if "caption" in self.open:
            self.caption += text
        elif {"td", "th"} & set(self.open):
            self.rows[-1][-1] += text
        elif "data" in self.open:
            self.data[-1] = (self.data[-1][0], self.data[-1][1] + text)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


NASTY = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='x", "{{ 7*7 }}", "</style><b>",
    "&lt;", "עמודה ארוכה מימין לשמאל", "اسم العمود", "\u202eevil", "\u2068<i>\u2069", "name " * 60, "a:b", "]]>",
    "url(#x)", "javascript:alert(1)", 'var(--x)"',
]  # fmt: skip


def hostile(n_columns: int = 60, n_rows: int = 80) -> Any:
    """Return a table whose names and values try to be markup."""
    names = [*NASTY, *(f"{'long ' * 20}column <b>{number}</b>" for number in range(n_columns - len(NASTY)))]
    cells = [
        [f"{NASTY[(row * (place + 3) + place) % len(NASTY)]}{row % (place + 2)}" for row in range(n_rows)]
        for place in range(n_columns)
    ]
    return pa.table(dict(zip(names, cells, strict=True)))


@pytest.fixture(scope="module")
def hostile_report() -> Any:
    table = hostile()
    return idbits.report(table, table.column_names, by="a:b", internal=True, reveal=True)


@pytest.fixture(scope="module")
def registry_report() -> Any:
    return idbits.report(registry(3_000), ["birthdate", "zip", "gender"], by="zip:prefix1")


@pytest.mark.parametrize("name", ["hostile_report", "registry_report"])
def test_no_script_and_nothing_from_elsewhere(name: str, request: pytest.FixtureRequest) -> None:
    page = request.getfixturevalue(name).to_html()
    assert len(page.encode()) < LIMIT
    reader = read(page)
    forbidden = {"script", "link", "iframe", "object", "embed", "img", "image", "audio", "video", "base", "form", "use"}
    assert not forbidden & {tag for tag, _ in reader.tags}
    ids = {attributes["id"] for _, attributes in reader.tags if "id" in attributes}
    for tag, attributes in reader.tags:
        assert not [key for key in attributes if key.startswith("on") or key in LOADING]
        if "href" in attributes:
            assert tag == "a"
            # The contents lead to parts of the page; nothing else stays on it.
            target = attributes["href"] or ""
            assert target[1:] in ids if target.startswith("#") else re.match("https://", target)
        assert "javascript:" not in (attributes.get("style") or "")
    style = page[page.index("<style>") : page.index("</style>")]
    assert not re.search(r"@import|url\(|expression", style)
    # Only links name another machine; nothing else does.
    links = {attributes["href"] for tag, attributes in reader.tags if tag == "a" and "href" in attributes}
    assert set(re.findall(r"https?://[^\"<\s]+", page)) <= links


@pytest.mark.parametrize("name", ["hostile_report", "registry_report"])
def test_headings_go_down_one_by_one_and_tables_have_captions(name: str, request: pytest.FixtureRequest) -> None:
    reader = read(request.getfixturevalue(name).to_html())
    assert reader.headings[0] == 1
    assert reader.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(reader.headings, reader.headings[1:], strict=False))
    tags = [tag for tag, _ in reader.tags]
    assert tags.count("caption") == tags.count("table") > 4
    assert all(attributes.get("scope") in ("row", "col") for tag, attributes in reader.tags if tag == "th")
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    # A mark beside its word is hidden from screen readers.
    pictures = [attributes for tag, attributes in reader.tags if tag == "svg" and "aria-hidden" not in attributes]
    assert len(pictures) >= 4
    assert all(picture["role"] == "img" and picture["aria-labelledby"] in ids for picture in pictures)


@pytest.fixture(scope="module")
def told(registry_report: Any) -> tuple[dict[str, Any], Reader]:
    return json.loads(registry_report.to_json()), read(registry_report.to_html())


def test_the_page_says_what_the_json_says(told: tuple[dict[str, Any], Reader]) -> None:
    data, reader = told
    figures = data["measurement"]
    shown = [
        (figures["entropy_bits"], numbers.bits_of(figures["entropy_bits"], figures["max_entropy_bits"]).split(" ")[0]),
        (figures["singletons"], numbers.share(figures["singletons"] / figures["n_rows"])),
        (figures["people_below"]["5"], numbers.share(figures["people_below"]["5"] / figures["n_rows"])),
        (figures["k_min"], numbers.count(figures["k_min"])),
    ]
    assert [(float(value), text) for value, text in reader.data] == [(float(value), text) for value, text in shown]
    for sentence in (data["verdict"]["title"], data["verdict"]["sentence"], data["origin"]["command"]):
        assert sentence in reader.text
    gains = {str(row["bits"]): row for row in figures["gain_table"]}
    rows = reader.tables["How many rows give away at least this many bits"][1:]
    assert len(rows) >= 8
    for bits, people, share in rows:
        assert (people, share) == (numbers.count(gains[bits]["people"]), numbers.share(gains[bits]["share"]))


def test_columns_are_those_of_the_json(told: tuple[dict[str, Any], Reader]) -> None:
    data, reader = told
    figures = data["measurement"]
    columns = {row["column"]: row for row in figures["columns"]}
    parts = {row["column"]: row for row in data["columns"]["contribution"]}
    for name, bits, adds, part, without, unique, below, k, values in reader.tables["What the columns give away"][1:-1]:
        own, added = columns[name], parts[name]
        assert (adds, part) == (numbers.bits(added["conditional_bits"]), numbers.bits(added["shapley_bits"]))
        assert without == numbers.share(added["singletons_without"] / figures["n_rows"])
        assert values == numbers.count(own["n_sets"])
        assert bits == numbers.bits(own["entropy_bits"])
        assert unique == numbers.share(own["singletons"] / own["n_rows"])
        assert (below, k) == (numbers.count(own["people_below"]["5"]), numbers.count(own["k_min"]))
    assert reader.tables["What the columns give away"][-1][1] == numbers.bits(figures["entropy_bits"])
    asked = data["columns"]["minimal"][0]
    (smallest,) = (rows[1:] for name, rows in reader.tables.items() if f"at least {asked['share']:.0%}" in name)
    assert len(smallest) == len(asked["sets"]) > 0
    for row, one in zip(smallest, asked["sets"], strict=True):
        assert row == [" + ".join(one["columns"]), numbers.bits(one["entropy_bits"]),
                       numbers.share(one["singletons"] / figures["n_rows"]), numbers.count(one["k_min"])]  # fmt: skip
    by_size = reader.tables["The combination of each size that makes most rows unique"][1:]
    for size, _, _, unique, _ in by_size:
        of_size = [one["singletons"] for one in data["columns"]["subsets"] if len(one["columns"]) == int(size)]
        assert unique == numbers.share(max(of_size) / figures["n_rows"])


def test_set_sizes_and_gains_are_those_of_the_json(told: tuple[dict[str, Any], Reader]) -> None:
    data, reader = told
    figures = data["measurement"]
    sizes_of_people = reader.tables["Rows by the size of their group"][1:]
    assert sizes_of_people[0][1] == numbers.count(figures["singletons"])
    assert sum(int(row[1].replace(",", "")) for row in sizes_of_people) == figures["n_rows"]
    exposed = data["gain"]["most_exposed"]
    for row, one in zip(
        reader.tables["Bits learnt about each cell of the most exposed rows"][1:], exposed, strict=False
    ):
        assert row[1:3] == [numbers.count(one["people"]), numbers.bits(one["rig_bits"])]
        assert row[3:] == [numbers.bits(gained) for gained in one["cig_bits"]]
    above = {row["bits"]: row["people"] for row in data["gain"]["rig_curve"]}
    for level, people, _ in reader.tables["Rows above each row information gain"][1:]:
        assert people in {numbers.count(above[bits]) for bits in above if numbers.decimal(bits) == level}
    features = {row["column"]: row for row in data["gain"]["features"]}
    for name, mean, share, held, left in reader.tables["What is learnt about each column"][1:]:
        own = features[name]
        assert (mean, share) == (numbers.bits(own["mean_cig_bits"]), numbers.share(own["share"]))
        assert (held, left) == (numbers.bits(own["entropy_bits"]), numbers.bits(own["conditional_entropy_bits"]))


def test_groups_steps_and_changes_are_those_of_the_json(told: tuple[dict[str, Any], Reader]) -> None:
    data, reader = told
    figures = data["measurement"]
    sizes = {row["label"]: row for row in figures["groups"]}
    for name, people, *_, largest in reader.tables["Group sizes within each zip:prefix1"][1:-1]:
        if name in sizes:
            assert people == numbers.count(sizes[name]["n_rows"])
            assert largest == numbers.count(sizes[name]["set_sizes"]["max"])
    steps = data["gain"]["sweep"]
    for row, step in zip(reader.tables["Step by step"][1:], steps, strict=True):
        shown = [plain_attribute(step["column"]), numbers.share(step["utility"]), numbers.bits(step["rig_p95"])]
        assert row[:3] == shown
    points = [data["advice"]["as_is"], *(treatment["best"] for treatment in data["treatments"])]
    for row, point in zip(reader.tables["What each goal takes"][1:], points, strict=True):
        assert row[1:] == [
            numbers.count(point["withheld"]),
            numbers.share(point["loss"]["cells"]),
            numbers.bits(point["figures"]["entropy_bits"]),
            numbers.count(point["figures"]["singletons"]),
            numbers.count(point["figures"]["people_below"]["5"]),
            numbers.count(point["figures"]["k_min"]),
        ]


def test_no_figure_in_a_sentence_is_missing_from_the_json(registry_report: Any) -> None:
    """Every number that stands in prose is one of the JSON as it is shown, or one that follows from two of them."""
    data = json.loads(registry_report.to_json())
    held: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                collect(item)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            n = data["measurement"]["n_rows"]
            told = (numbers.bits(value), numbers.decimal(value), numbers.share(value), numbers.share(value / n))
            held.update((*told, f"{value:.3f}", numbers.count(value) if isinstance(value, int) else ""))

    collect(data)
    page = registry_report.page
    sentences = [page.verdict.sentence, *page.advice]
    sentences += [text for part in page.sections for text in (*part.text, *(figure.words for figure in part.figures))]
    small = {str(number) for number in range(101)} | {"100%", "0%", "80%", "20%", "5%"}
    plain_words = re.sub("\u2068[^\u2069]*\u2069", "", " ".join(sentences))
    figures = data["measurement"]
    kept = {numbers.whole_percent(1 - treatment["best"]["loss"]["cells"]) for treatment in data["treatments"]}
    derived = {*kept, numbers.count(figures["n_rows"] - figures["singletons"])}
    sizes = [(k, people) for (k, _), people in zip(figures["spectrum"], figures["spectrum_people"], strict=True)]
    derived.add(numbers.share(sum(people for k, people in sizes if k <= 4) / figures["n_rows"]))
    derived.add(numbers.share(sum(people for k, people in sizes if k >= 10) / figures["n_rows"]))
    found = re.findall(r"[<>]?\d[\d,]*(?:\.\d+)?%?", plain_words)
    assert len(found) > 40
    strange = {number.rstrip(",") for number in found} - held - small - derived
    assert not strange


def test_a_page_stays_small_whatever_the_table() -> None:
    """Thousands of groups, and a table of thousands of columns of which some are measured."""
    groups = pa.table(
        {"g": [f"group {n // 12} {'x' * 90}" for n in range(24_000)], "a": [n % 5 for n in range(24_000)]}
    )
    page = idbits.report(groups, ["a", "g"], by="g", sections="sizes,columns,gain").to_html()
    assert len(page.encode()) < LIMIT
    assert "1,960 more categories" in read(page).text
    wide = pa.table({f"column {n} {'y' * 60}": [n % 3, n % 2, 0] for n in range(2_000)})
    answer = idbits.report(wide, wide.column_names[:40], sections="bits,sizes,columns,changes")
    assert len(answer.to_html().encode()) < LIMIT
    assert "1,955 other columns" in read(answer.to_html()).text


def test_what_is_left_out_is_said(hostile_report: Any) -> None:
    text = read(hostile_report.to_html()).text
    assert "20 more columns not shown" in text
    assert "48 more columns not shown" in text
    assert not re.findall(r"(?<!\S)--[a-z]+", text.partition("Command")[0])
    assert "INTERNAL" in text


def test_hostile_names_are_text(hostile_report: Any) -> None:
    page = hostile_report.to_html()
    assert "<script>" not in page
    assert "onerror=alert(1)>" not in page.replace("onerror=alert(1)&gt;", "")
    assert "\u202e" not in page
    assert "{{ 7*7 }}" in read(page).text
    told = hostile_report.to_markdown()
    assert "<script>" not in told
    assert "\u202e" not in told
    assert "\u2068" not in told


def test_pictures_have_the_colours_of_the_page(registry_report: Any) -> None:
    page = registry_report.to_html()
    drawings = re.findall("<svg.*?</svg>", page, re.DOTALL)
    marks = [drawing for drawing in drawings if 'aria-hidden="true"' in drawing]
    own = [drawing for drawing in drawings if drawing.startswith('<svg class="drawing ')]
    assert len(marks) == 3
    # Each chart is drawn for wide and for narrow pages.
    kinds = [
        re.match('<svg class="(?:drawing )?(wide|narrow)"', drawing)[1] for drawing in drawings if drawing not in marks
    ]
    assert kinds == ["wide", "narrow"] * (len(kinds) // 2)
    assert len(own) >= 16
    # They take the colour of their word, and all colours from the style of the page.
    assert not [found for mark in marks for found in re.findall(r'(?:fill|stroke)="(?!none|currentColor)', mark)]
    assert not [found for drawing in own for found in re.findall(r'(?:fill|stroke)="', drawing)]
    charts = [drawing for drawing in drawings if drawing not in (*marks, *own)]
    assert len(charts) == 2
    for drawing in charts:
        assert "var(--ink)" in drawing
        # Every colour is a variable, or nothing would change in the dark.
        assert not re.findall(r'(?:fill|stroke)="(?!none|transparent|var\(|url\()[^"]*"', drawing)
