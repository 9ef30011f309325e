from hypothesis import given, settings
from hypothesis import strategies as st

from scanners.model import Partition, SampleRequest, Strategy, Topic
from scanners.scan.sample import plan

partition = st.tuples(st.integers(0, 10_000), st.integers(0, 100_000))
topics = st.lists(partition, min_size=0, max_size=6).map(
    lambda parts: Topic("t", tuple(Partition(i, begin, begin + size) for i, (begin, size) in enumerate(parts)))
)


@settings(deadline=None)
@given(topics, st.sampled_from(Strategy), st.integers(1, 5_000), st.integers(0, 99), st.integers(2, 8))
def test_ranges_lie_inside_what_is_retained_and_do_not_overlap(topic, strategy, records, seed, windows):
    last = {("t", p.partition): p.begin + (p.end - p.begin) // 2 for p in topic.partitions}
    ranges = plan([topic], SampleRequest(strategy, records), seed, last, windows)
    by_id = {p.partition: p for p in topic.partitions}
    ends: dict[int, int] = {}
    for r in ranges:
        retained = by_id[r.partition]
        assert retained.begin <= r.start < r.end <= retained.end
        assert r.start >= ends.get(r.partition, 0)
        ends[r.partition] = r.end


@settings(deadline=None)
@given(
    topics,
    st.integers(1, 5_000),
    st.sampled_from([Strategy.LATEST, Strategy.EARLIEST, Strategy.RANDOM, Strategy.STRATIFIED]),
)
def test_the_budget_is_used_as_far_as_there_are_records(topic, records, strategy):
    ranges = plan([topic], SampleRequest(strategy, records))
    assert sum(r.length for r in ranges) == min(records, topic.retained)


@settings(deadline=None)
@given(topics, st.integers(0, 9))
def test_full_reads_everything(topic, seed):
    assert sum(r.length for r in plan([topic], SampleRequest(Strategy.FULL, 1), seed)) == topic.retained


def test_stratified_reads_head_tail_and_windows_between():
    topic = Topic("t", (Partition(0, 100, 10_100),))
    ranges = plan([topic], SampleRequest(Strategy.STRATIFIED, 400), seed=3)
    assert ranges[0].start == 100
    assert ranges[-1].end == 10_100
    assert len(ranges) >= 3


def test_the_same_seed_gives_the_same_windows_whatever_else_is_scanned():
    one, two = Topic("a", (Partition(0, 0, 9_999),)), Topic("b", (Partition(0, 0, 9_999),))
    request = SampleRequest(max_records=50)
    alone = plan([one], request, seed=7)
    both = plan([two, one], request, seed=7)
    assert alone == [r for r in both if r.topic == "a"]
    assert alone != plan([one], request, seed=8)


def test_since_last_reads_what_is_new_and_some_of_the_old():
    topic = Topic("t", (Partition(0, 0, 1_000), Partition(1, 0, 500)))
    ranges = plan([topic], SampleRequest(Strategy.SINCE_LAST, 1_000), 1, {("t", 0): 900})
    new = sum(max(0, r.end - max(r.start, 900)) for r in ranges if r.partition == 0)
    assert new == 100
    assert sum(r.length for r in ranges if r.partition == 1) == 500, "a partition never read is new"
    assert any(r.partition == 0 and r.start < 900 for r in ranges)


def test_since_last_reads_a_topic_made_anew_from_its_start():
    ranges = plan([Topic("t", (Partition(0, 0, 10),))], SampleRequest(Strategy.SINCE_LAST), 1, {("t", 0): 5_000})
    assert [(r.start, r.end) for r in ranges] == [(0, 10)]


def test_small_partitions_leave_their_share_to_large_ones():
    topic = Topic("t", (Partition(0, 0, 3), Partition(1, 0, 100_000)))
    ranges = plan([topic], SampleRequest(Strategy.LATEST, 100))
    assert {r.partition: r.length for r in ranges} == {0: 3, 1: 97}
