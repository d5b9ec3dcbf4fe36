"""The Python examples of the pages pass mypy --strict, and the types of figures are those that the reference names."""

import re
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/how-to/in-python.md")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
REVEALED = {
    'idbits.measure("people.csv", ["zip"]).entropy_bits': "float",
    'idbits.measure("people.csv", "zip,gender").k_min': "int",
    'idbits.measure("people.csv").singletons': "int | float",
    'idbits.measure("people.csv", ["zip"], values=True).qid': "tuple[str, ...]",
    'idbits.measure("people.csv", [["zip"], ["zip", "gender"]])[0].n_rows': "int",
    'idbits.measure("people.csv", [("zip",)]).verdict.level': "idbits.render.blocks.Level",
    'idbits.disclosure("people.csv", ["zip"], "gender").n_people': "int",
    'idbits.disclosure("people.csv", [["zip"]], "gender")[0].k_min': "int",
    'idbits.gain("people.csv").pif': "float",
    'idbits.gain("people.csv").rig': "dict[str, float]",
    'idbits.link("a.csv", "b.csv", "zip").records.one_to_one': "int",
    'idbits.link("a.csv", original="b.csv", attack="linkability").n_attacks': "int",
    'idbits.overlap("a.csv", zones="town,post").smallest': "int | None",
    'idbits.overlap("a.csv", "b.csv", person="id", qid_a="zip", qid_b="zip", sensitive="job").people': "int",
    'idbits.measure("people.csv", ["zip"], by="town").by': "str | None",
    'idbits.measure("people.csv", ["zip"]).verdict_level': "idbits.render.blocks.Level | None",
    'idbits.advise("people.csv", ["zip"]).best.k_min': "int | None",
    'idbits.advise("people.csv", ["zip"]).points[0].cells_loss': "float | None",
    'idbits.columns("people.csv").rows_per_person': "idbits.measures.persons.RowsPerPerson | None",
    "idbits.predict.uniqueness(10, values=365).distribution_label": "str",
    "idbits.Leak.from_dict({})": "idbits.studies.leak.result.Leak",
}


def test_examples_pass_mypy_and_figures_have_their_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    blocks = [block for page in PAGES for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))]
    assert len(blocks) > len(PAGES)
    (tmp_path / "examples.py").write_text("\n".join(blocks), encoding="utf-8")
    revealed = "".join(f"reveal_type({expression})\n" for expression in REVEALED)
    wrong = "idbits.measure('people.csv', ['zip']).entropy_bit\n"
    (tmp_path / "revealed.py").write_text(f"import idbits\n{revealed}{wrong}", encoding="utf-8")
    # The types of other packages are theirs.
    others = ["--disable-error-code=import-untyped", "--disable-error-code=import-not-found"]
    files = [str(tmp_path / name) for name in ("examples.py", "revealed.py")]
    out, err, _ = api.run(["--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}/cache", *others, *files])
    assert not err, err
    assert [line for line in out.splitlines() if "examples.py:" in line] == []
    said = [line.partition("revealed.py:")[2] for line in out.splitlines() if "revealed.py:" in line]
    types = [line.partition('"')[2].rpartition('"')[0] for line in said if "Revealed" in line]
    assert dict(zip(REVEALED, [name.replace("builtins.", "") for name in types], strict=True)) == REVEALED
    assert '"Measurement" has no attribute "entropy_bit"' in said[-1]
