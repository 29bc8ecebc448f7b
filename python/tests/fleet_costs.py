"""Measures what the queries cost as hosts become more: `python tests/fleet_costs.py FOLDER HOSTS...`, for docs/fleet-costs.md."""

import resource
import sys
import time
from multiprocessing import get_context
from pathlib import Path

from fleet_data import write_fleet

from drivelab import QUERIES, DataFusionEngine, DuckDbEngine

DATAFUSION_HOSTS_MAX = 100


def cost_of(kind: type[DuckDbEngine] | type[DataFusionEngine], destination: Path) -> None:
    """Run all queries in this process, and print what they took."""
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    engine = kind(destination)
    for query in QUERIES.values():
        query.run(engine)
    after = resource.getrusage(resource.RUSAGE_SELF)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    elapsed, memory = time.monotonic() - began, after.ru_maxrss / 1024
    print(f"  {kind.__name__}: {processor:.1f} s of processor time, {elapsed:.1f} s, {memory:.0f} MiB", flush=True)


def main() -> None:
    """Generate each number of hosts once, and measure both engines in a process of their own."""
    folder = Path(sys.argv[1])
    for hosts in map(int, sys.argv[2:]):
        destination = folder / f"hosts-{hosts}"
        truth = write_fleet(destination, hosts)
        files = [path for path in destination.rglob("*.parquet") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"{hosts} hosts: {truth.rows:,} rows, {len(files):,} files, {size / 1e6:.1f} MB", flush=True)
        # DataFusion holds what it joins in memory: 2.4 GiB for 100 hosts, and more for more.
        for kind in (DuckDbEngine, DataFusionEngine) if hosts <= DATAFUSION_HOSTS_MAX else (DuckDbEngine,):
            process = get_context("spawn").Process(target=cost_of, args=(kind, destination))
            process.start()
            process.join()


if __name__ == "__main__":
    main()
