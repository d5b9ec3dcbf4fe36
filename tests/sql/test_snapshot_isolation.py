"""All queries of a measurement see one state of the table, whatever others write meanwhile."""

from typing import Any

import pytest
import sqlalchemy as sa

import idbits
from idbits.engines.sql.connection import DatabaseConnection


@pytest.mark.parametrize(
    "change", ["INSERT INTO busy SELECT zip, sex FROM busy", "DELETE FROM busy", "UPDATE busy SET zip = sex"]
)
def test_what_others_write_meanwhile_is_not_seen(server: Any, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    columns = [sa.Column("zip", sa.String(20)), sa.Column("sex", sa.String(1))]
    server.fill("busy", columns, [{"zip": f"{i % 7}", "sex": "FM"[i % 2]} for i in range(50)])
    asked: dict[str, Any] = {"qid": "zip,sex", "by": "sex", "table": "busy", "values": True, "reveal": True}
    quiet = idbits.measure(server.address, **asked).to_dict()
    count = "SELECT count(*), count(DISTINCT zip) FROM busy"
    before, ran = server.rows(count), []
    rows = DatabaseConnection.batches

    def disturbed(self: DatabaseConnection, *arguments: Any) -> Any:
        if not ran and "people" in str(arguments[0]):
            ran.append(server.run(change))
        return rows(self, *arguments)

    # The first query that counts has been built; before it runs, somebody writes.
    monkeypatch.setattr(DatabaseConnection, "batches", disturbed)
    one = idbits.measure(server.address, **asked).to_dict()
    assert ran
    assert server.rows(count) != before
    assert one == quiet
