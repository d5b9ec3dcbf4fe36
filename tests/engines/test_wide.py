"""Tables of thousands of columns: a question about one column plans that column alone."""

from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.values.attributes import parse_attributes


def test_a_column_is_counted_without_the_view_of_all(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("a,b,n\nx,1,2\nx,2,3\ny,1,0\n")
    table = open_table(path, OpenOptions(count="n", where="b = '1'"))
    table.load(table.columns)
    (attribute,) = parse_attributes("a", table.columns)
    asked = []
    run = table.connection.run
    table.connection.run = lambda sql, *further: (asked.append(sql), run(sql, *further))[1]
    histogram = table.histogram([attribute])
    assert dict(zip(histogram.values, histogram.people, strict=True)) == {("x",): 2}
    assert asked
    assert not any(table.relation in sql for sql in asked if "dictionary" in sql)
    table.close()
