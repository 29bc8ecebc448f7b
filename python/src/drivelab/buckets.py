"""Latencies in the buckets of drivelab's log-linear histogram, and percentiles from counts of them."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import pyarrow as pa

from drivelab.errors import DrivelabError

_STEPS = 128
"""Buckets of each power of two, so that a bucket is at most 1/128 of its least value wide."""


def bucket_of(latency_ns: int) -> int:
    """Give the bucket of a latency.

    Args:
        latency_ns: the latency in nanoseconds, from 0 on.

    Raises:
        ValueError: where the latency is negative.
    """
    if latency_ns < 0:
        raise ValueError(f"a latency is 0 ns or longer, not {latency_ns}")
    if latency_ns < 2 * _STEPS:
        return latency_ns
    shift = latency_ns.bit_length() - _STEPS.bit_length()
    return (shift + 1) * _STEPS + (latency_ns >> shift) - _STEPS


def least_ns(bucket: int) -> int:
    """Give the least latency of a bucket, in nanoseconds.

    Raises:
        ValueError: where the bucket is negative.
    """
    if bucket < 0:
        raise ValueError(f"buckets count from 0, not from {bucket}")
    if bucket < 2 * _STEPS:
        return bucket
    return (_STEPS + bucket % _STEPS) << (bucket // _STEPS - 1)


def greatest_ns(bucket: int) -> int:
    """Give the greatest latency of a bucket, in nanoseconds."""
    return least_ns(bucket + 1) - 1


class Histogram:
    """Counts of I/Os by bucket. Histograms of any drives and hours add up: `+` is that of all their I/Os together."""

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        """Begin with counts by bucket, or with none."""
        self._counts: dict[int, int] = {}
        for bucket, count in (counts or {}).items():
            if bucket < 0 or count < 0:
                raise ValueError(f"neither buckets nor counts are negative: bucket {bucket}, count {count}")
            if count > 0:
                self._counts[bucket] = count

    @classmethod
    def of_table(cls, table: pa.Table, count: str | None = None) -> "Histogram":
        """Count the I/Os of records, or add up those of a rollup or of an answer to a query.

        Args:
            table: with a column `latency_bucket`. Rows without a bucket are left out.
            count: the column that says how many I/Os each row counts. Without it that is `ios` where there is such a column, and
                each row counts one I/O where there is none, as in records.

        Raises:
            DrivelabError: where there is no column `latency_bucket`, or none of the name `count`, or it holds no whole numbers.
        """
        if "latency_bucket" not in table.column_names:
            raise DrivelabError(
                f"the table has no column latency_bucket, but {', '.join(table.column_names)}: take records of a run or a rollup"
            )
        if count is not None and count not in table.column_names:
            raise DrivelabError(f"the table has no column {count}, but {', '.join(table.column_names)}: name that of the counts")
        name = count or ("ios" if "ios" in table.column_names else None)
        if name is not None:
            try:
                # Engines give sums as decimal numbers of 38 digits.
                counts = table[name].cast(pa.int64())
            except pa.ArrowInvalid as error:
                raise DrivelabError(f"the column {name} holds no whole numbers of I/Os: {error}") from error
            sums = pa.table({"latency_bucket": table["latency_bucket"], "ios": counts})
            sums = sums.group_by("latency_bucket").aggregate([("ios", "sum")])
            counted = zip(sums["latency_bucket"].to_pylist(), sums["ios_sum"].to_pylist(), strict=True)
        else:
            sums = table.group_by("latency_bucket").aggregate([([], "count_all")])
            counted = zip(sums["latency_bucket"].to_pylist(), sums["count_all"].to_pylist(), strict=True)
        return cls({bucket: ios for bucket, ios in counted if bucket is not None})

    @classmethod
    def of_latencies(cls, latencies_ns: Iterable[int]) -> "Histogram":
        """Count latencies, in nanoseconds."""
        counts: dict[int, int] = {}
        for latency in latencies_ns:
            bucket = bucket_of(latency)
            counts[bucket] = counts.get(bucket, 0) + 1
        return cls(counts)

    @property
    def ios(self) -> int:
        """How many I/Os it counts."""
        return sum(self._counts.values())

    @property
    def counts(self) -> dict[int, int]:
        """The counts by bucket, in the order of the buckets; buckets without an I/O are not in it."""
        return dict(sorted(self._counts.items()))

    def __add__(self, other: "Histogram") -> "Histogram":
        counts = dict(self._counts)
        for bucket, count in other._counts.items():
            counts[bucket] = counts.get(bucket, 0) + count
        return Histogram(counts)

    def __radd__(self, other: object) -> "Histogram":
        """Add to the 0 that `sum` begins with."""
        if other == 0:
            return self
        return NotImplemented

    def __repr__(self) -> str:
        return f"Histogram of {self.ios} I/Os in {len(self._counts)} buckets"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and self._counts == other._counts

    __hash__ = None  # type: ignore[assignment]

    def percentile_bucket(self, percent: float | str | Fraction) -> int | None:
        """Give the bucket that holds a percentile: of n I/Os that of rank ceil(percent / 100 * n).

        Args:
            percent: above 0 and at most 100, such as 99.9. It is taken as its decimal digits say, so that 99.9 of 1,000 I/Os is
                rank 999 exactly.

        Returns:
            None where it counts no I/O.

        Raises:
            ValueError: where the percentage is out of range.
        """
        share = Fraction(str(percent)) / 100
        if not 0 < share <= 1:
            raise ValueError(f"a percentile is above 0 and at most 100, such as 99.9, not {percent}")
        rank = share * self.ios
        reached = 0
        for bucket, count in self.counts.items():
            reached += count
            if reached >= rank:
                return bucket
        return None

    def percentile_ns(self, percent: float | str | Fraction) -> int | None:
        """Give a percentile as the least value of its bucket, in nanoseconds: exact to a bucket, which is at most 0.8 % wide."""
        bucket = self.percentile_bucket(percent)
        return None if bucket is None else least_ns(bucket)

    def share_at_least(self, latency_ns: int) -> float:
        """Give the share of I/Os in the bucket of a latency or above it, from 0 to 1; 0 where it counts no I/O."""
        first = bucket_of(latency_ns)
        slow = sum(count for bucket, count in self._counts.items() if bucket >= first)
        return slow / self.ios if self._counts else 0.0
