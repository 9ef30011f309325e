from hypothesis import given
from hypothesis import strategies as st

from scanners.model import OffsetRange
from scanners.scan.waves import joined, left, waves

ranges = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.integers(0, 50), st.integers(1, 40)), max_size=6
).map(lambda given_ranges: [OffsetRange(t, p, s * 100, s * 100 + n) for t, p, s, n in given_ranges])


def offsets(ranges):
    return sorted((r.topic, r.partition, offset) for r in ranges for offset in range(r.start, r.end))


@given(ranges, st.integers(1, 60))
def test_every_offset_is_in_one_wave_and_the_last_wave_of_a_topic_is_known(given_ranges, size):
    plan = waves(given_ranges, size)
    assert offsets(r for w in plan for r in w.ranges) == offsets(given_ranges)
    for topic in {r.topic for r in given_ranges}:
        where = [n for n, w in enumerate(plan) if any(r.topic == topic for r in w.ranges)]
        assert [n for n, w in enumerate(plan) if topic in w.last] == [where[-1]]


def test_a_wave_has_work_for_every_partition_and_is_no_larger_than_asked():
    plan = waves([OffsetRange("t", p, 0, 100_000) for p in range(10)], 250_000)
    assert len(plan) == 4
    assert all(len(w.ranges) == 10 and sum(r.length for r in w.ranges) <= 250_000 for w in plan)


def test_small_topics_share_a_wave():
    plan = waves([OffsetRange(f"t{n:02}", 0, 0, 100) for n in range(20)], 1000)
    assert [len(w.last) for w in plan] == [10, 10]


@given(ranges, ranges)
def test_what_is_left_is_what_was_not_done(given_ranges, done):
    assert set(offsets(left(given_ranges, done))) == set(offsets(given_ranges)) - set(offsets(done))


@given(ranges)
def test_joining_keeps_the_offsets(given_ranges):
    apart = left(given_ranges, [])
    assert set(offsets(joined(apart))) == set(offsets(given_ranges))
