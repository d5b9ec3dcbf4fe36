"""The containers of the examples: valid for Compose, and what they do is done on a real PostgreSQL.

Images are not built or started here; that needs Docker and the network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import yaml

import databases
import idbits

FOLDER = Path(__file__).parents[2] / "examples" / "compose"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))


def tool(name: str) -> str:
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip(f"{name} is not installed; make tools installs it")
    return found


def test_the_file_has_the_schema_of_compose(tmp_path: Path) -> None:
    command = [tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec"]
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    for content, code in ((text, 0), (text.replace("read_only: true", "read_only: [1]"), 1)):
        file = tmp_path / "compose.yaml"
        file.write_text(content, encoding="utf-8")
        ended = subprocess.run([*command, str(file)], capture_output=True, text=True, timeout=120, check=False)
        assert ended.returncode == code, ended.stdout


def test_its_parts_fit_together() -> None:
    services = COMPOSE["services"]
    assert set(services) == {"check", "database"}
    assert COMPOSE["networks"]["inside"]["internal"] is True
    for service in services.values():
        assert service["networks"] == ["inside"]
        for volume in service["volumes"]:
            assert (FOLDER / volume.partition(":")[0]).is_file()
            assert volume.endswith(":ro")
    secrets = [
        value for service in services.values() for name, value in service["environment"].items() if "PASS" in name
    ]
    assert secrets == ["${PGPASSWORD:?choose a password}"] * 2
    policy = (FOLDER / "idbits.toml").read_text(encoding="utf-8")
    environment = services["database"]["environment"]
    assert f"postgresql://{environment['POSTGRES_USER']}@database/{environment['POSTGRES_DB']}" in policy


def test_the_container_installs_this_version() -> None:
    text = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    assert f'"idbits[sql]=={idbits.__version__}"' in text


def test_the_container_is_well_written() -> None:
    ended = subprocess.run(
        [tool("hadolint"), str(FOLDER / "Dockerfile")], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stdout


@pytest.mark.server
def test_the_policy_on_a_real_server(tmp_path: Path) -> None:
    """The script of the example makes the table; the policy fails as the page says, and passes if it is changed so."""
    address = databases.postgresql_address()
    engine = databases.writer(address)
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE IF EXISTS people"))
        for statement in re.sub(r"^--.*$", "", (FOLDER / "people.sql").read_text(encoding="utf-8"), flags=re.M).split(
            ";"
        ):
            if statement.strip():
                connection.exec_driver_sql(statement.replace("%", "%%"))
    try:
        text = (FOLDER / "idbits.toml").read_text(encoding="utf-8")
        text = text.replace("postgresql://analyst@database/registry", address)
        policy = tmp_path / "idbits.toml"
        policy.write_text(text, encoding="utf-8")
        assert [rule.passed for rule in idbits.check(policy).rules] == [False, False]
        coarser = text.replace('"birthdate:year"', '"birthdate:year:band10"').replace('"zip:prefix2"', '"zip:prefix1"')
        policy.write_text(coarser, encoding="utf-8")
        answer = idbits.check(policy)
        assert answer.passed, answer
    finally:
        with engine.begin() as connection:
            connection.execute(sa.text("DROP TABLE people"))
        engine.dispose()
