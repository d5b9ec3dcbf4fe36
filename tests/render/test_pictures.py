"""Charts and their scales: complete elements, within bounds, and only numbers from outside."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from idbits.render.pictures import crowd_picture, line_chart, range_picture, share_bars
from idbits.render.scales import decades, even_scale, round_steps, sizes_between


def positions(svg: str, *names: str) -> list[float]:
    return [float(element.get(name, "0")) for element in ElementTree.fromstring(svg).iter() for name in names]


@given(st.integers(1, 10**10), st.data())
def test_what_is_left_of_a_crowd_stays_on_the_line(everyone: int, data: st.DataObject) -> None:
    best = data.draw(st.floats(0, everyone))
    typical, worst = (data.draw(st.none() | st.floats(0, best)) for _ in range(2))
    svg = range_picture(everyone, best, typical, worst, marks=True)
    assert all(0 <= position <= 320 for position in positions(svg, "x", "x1", "x2", "cx"))
    assert len(ElementTree.fromstring(crowd_picture(best))) <= 101


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=200))
def test_bars_stay_on_the_chart(shares: list[float]) -> None:
    svg = share_bars(sorted(shares, reverse=True), 10**6, "words")
    assert all(0 <= position <= 520 for position in positions(svg, "x", "x1", "x2"))
    assert len(ElementTree.fromstring(svg).findall("g/rect")) == min(120, len(shares))


def test_a_line_marks_a_size_only_where_it_is_shown() -> None:
    lines = [("first", [(k, 1 / k) for k in (2, 10, 100)])]
    assert 'class="here"' in line_chart(lines, "words", "people", 10)
    assert 'class="here"' not in line_chart(lines, "words", "people", 1_000)


@given(st.floats(1e-9, 1))
def test_steps_are_few_and_end_below_the_largest(most: float) -> None:
    steps = round_steps(most)
    assert 2 <= len(steps) <= 5
    assert steps[-1] <= most * (1 + 1e-6)


@given(st.floats(1, 100), st.floats(200, 1e7), st.integers(1, 60))
def test_sizes_rise_from_one_end_to_the_other(low: float, high: float, steps: int) -> None:
    sizes = sizes_between(low, high, steps)
    assert sizes == sorted(set(sizes))
    assert abs(sizes[0] - low) <= 0.5
    assert abs(sizes[-1] - high) <= 0.5 + high * 1e-9
    assert even_scale(0, decades(high), 0, 1)(decades(high)) == 1
