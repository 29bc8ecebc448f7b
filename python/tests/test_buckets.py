"""Buckets and percentiles."""

import random
from fractions import Fraction

import pyarrow as pa
import pytest

from drivelab import DrivelabError, Histogram, bucket_of, greatest_ns, least_ns


def test_buckets_hold_what_their_limits_say_and_are_narrow() -> None:
    """Each latency lies between the least and the greatest of its bucket, and buckets leave no gap."""
    for latency in [0, 1, 255, 256, 257, 1_000_000, 2**40 - 1, 2**40, *(2**shift + 3 for shift in range(9, 60))]:
        bucket = bucket_of(latency)
        assert least_ns(bucket) <= latency <= greatest_ns(bucket)
        assert greatest_ns(bucket) + 1 == least_ns(bucket + 1)
        assert greatest_ns(bucket) - least_ns(bucket) < max(1, latency * 0.0079)
    with pytest.raises(ValueError, match="not -1"):
        bucket_of(-1)
    with pytest.raises(ValueError, match="not from -1"):
        least_ns(-1)


def test_percentiles_are_those_of_the_sorted_latencies() -> None:
    """Ranks are exact also where a percentage has no exact binary form."""
    draw = random.Random(3)
    for size in (1, 2, 999, 1000, 1001, 5000):
        latencies = sorted(int(draw.lognormvariate(11, 1)) for _ in range(size))
        counted = Histogram.of_latencies(latencies)
        for percent in (50, 99, "99.9", 99.9, 100):
            rank = -(-Fraction(str(percent)) * size // 100)
            assert counted.percentile_bucket(percent) == bucket_of(latencies[int(rank) - 1]), (size, percent)
    assert Histogram().percentile_ns(99) is None
    with pytest.raises(ValueError, match=r"99\.9, not 0"):
        Histogram().percentile_ns(0)


def test_histograms_add_up() -> None:
    """The histogram of all I/Os is the sum of those of parts, also from the rows of a rollup."""
    one, other = Histogram({5: 2, 7: 1}), Histogram({7: 3, 900: 1})
    assert (one + other).counts == {5: 2, 7: 4, 900: 1}
    table = pa.table({"latency_bucket": pa.array([7, 5, None, 7, 900], pa.uint16()), "ios": [1, 2, 9, 3, 1]})
    assert Histogram.of_table(table) == one + other
    assert Histogram.of_table(table.drop_columns("ios")).counts == {5: 1, 7: 2, 900: 1}
    assert (one + other).share_at_least(least_ns(900)) == 1 / 7
    assert sum([one, other]) == one + other
    sums = table.rename_columns(["latency_bucket", "n"])
    sums = sums.set_column(1, "n", sums["n"].cast(pa.decimal128(38, 0)))
    assert Histogram.of_table(sums, count="n") == one + other
    assert Histogram.of_table(sums.rename_columns(["latency_bucket", "ios"])).percentile_ns(50) == 7
    with pytest.raises(DrivelabError, match="no column m, but latency_bucket, n"):
        Histogram.of_table(sums, count="m")
    with pytest.raises(DrivelabError, match="no column latency_bucket, but ios"):
        Histogram.of_table(table.drop_columns("latency_bucket"))
