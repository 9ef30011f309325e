from hypothesis import given
from hypothesis import strategies as st

from scanners.model import OffsetRange
from scanners.scan.waves import joined, left, waves

ranges = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.integers(0, 50), st.integers(1, 40)), max_size=6
).map(lambda found: [OffsetRange(t, p, s * 100, s * 100 + n) for t, p, s, n in found])


def offsets(found):
    return sorted((r.topic, r.partition, offset) for r in found for offset in range(r.start, r.end))


@given(ranges, st.integers(1, 60))
def test_every_offset_is_in_one_wave_and_the_last_wave_of_a_topic_is_known(found, size):
    made = waves(found, size)
    assert offsets(r for w in made for r in w.ranges) == offsets(found)
    for topic in {r.topic for r in found}:
        where = [n for n, w in enumerate(made) if any(r.topic == topic for r in w.ranges)]
        assert [n for n, w in enumerate(made) if topic in w.last] == [where[-1]]


def test_a_wave_has_work_for_every_partition_and_is_no_larger_than_asked():
    made = waves([OffsetRange("t", p, 0, 100_000) for p in range(10)], 250_000)
    assert len(made) == 4
    assert all(len(w.ranges) == 10 and sum(r.length for r in w.ranges) <= 250_000 for w in made)


def test_small_topics_share_a_wave():
    made = waves([OffsetRange(f"t{n:02}", 0, 0, 100) for n in range(20)], 1000)
    assert [len(w.last) for w in made] == [10, 10]


@given(ranges, ranges)
def test_what_is_left_is_what_was_not_done(found, done):
    assert set(offsets(left(found, done))) == set(offsets(found)) - set(offsets(done))


@given(ranges)
def test_joining_keeps_the_offsets(found):
    apart = left(found, [])
    assert set(offsets(joined(apart))) == set(offsets(found))
