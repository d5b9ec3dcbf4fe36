"""schemathesis on the OpenAPI description: no request causes an internal error."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import schemathesis
from helpers import Publisher, fresh_postgresql
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error

from idbits.repository import Repository
from idbits.web.app import create_app
from idbits.web.settings import WebSettings

# bench/repository.py --fuzz tries more, and PostgreSQL.
POSTGRESQL = os.environ.get("IDBITS_FUZZ_DATABASE") == "postgresql"
_FOLDER = tempfile.TemporaryDirectory(prefix="idbits-openapi-")
STORE = Repository.open(fresh_postgresql() if POSTGRESQL else str(Path(_FOLDER.name) / "repository.db"))
ADMIN = Publisher(STORE, "admin", "City", role="admin")
REF = ADMIN.publish().ref
APP = create_app(WebSettings(port=80, requests_a_minute=0, unlock_attempts_a_minute=0), STORE)
HEADERS = {"Host": "127.0.0.1:80", "Authorization": f"Bearer {ADMIN.api_key}"}

schema = schemathesis.openapi.from_dict(APP.openapi())
schema.app = APP
EXAMPLES = settings(
    max_examples=int(os.environ.get("IDBITS_FUZZ", "15")),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@schema.parametrize()
@EXAMPLES
def test_no_internal_error(case: schemathesis.Case) -> None:
    if "ref" in (case.path_parameters or {}):
        case.path_parameters["ref"] = REF
    response = case.call_and_validate(headers=HEADERS, checks=[not_a_server_error])
    # The guard accepts the request, so the routes are tested.
    assert response.status_code != 401
    assert "loopback" not in response.text


def test_every_route_is_described_and_pages_are_not() -> None:
    paths = APP.openapi()["paths"]
    assert all(path.startswith("/api/v1/") for path in paths)
    assert {"/api/v1/entries", "/api/v1/query", "/api/v1/audit", "/api/v1/matches", "/api/v1/vocabulary"} <= set(paths)
    assert "localhost" not in json.dumps(paths)
