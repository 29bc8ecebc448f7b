"""Results of drivelab, a program that measures storage drives, as tables and objects.

`open_run` and `open_trace` read folders of one result; `DuckDbEngine`, `DataFusionEngine` and `SparkEngine` answer the queries
over the exported results of many machines.
"""

from drivelab.buckets import Histogram, bucket_of, greatest_ns, least_ns
from drivelab.engines import DataFusionEngine, DuckDbEngine, Engine, SparkEngine, spark_s3_settings
from drivelab.errors import DrivelabError
from drivelab.location import S3Access
from drivelab.operation import Operation
from drivelab.queries import (
    QUERIES,
    Query,
    hours_of_day,
    outside_peers,
    percentiles_by_model,
    reviews,
    slower_drives,
    slowest_drives,
    write_amplification,
)
from drivelab.run import (
    Condition,
    Drive,
    Figures,
    Notice,
    Outcome,
    Phase,
    Run,
    ServiceTimes,
    Settings,
    Summary,
    open_run,
)
from drivelab.tables import catalogue, drives, rollup
from drivelab.trace import Account, Device, Trace, open_trace

__all__ = [
    "QUERIES",
    "Account",
    "Condition",
    "DataFusionEngine",
    "Device",
    "Drive",
    "DrivelabError",
    "DuckDbEngine",
    "Engine",
    "Figures",
    "Histogram",
    "Notice",
    "Operation",
    "Outcome",
    "Phase",
    "Query",
    "Run",
    "S3Access",
    "ServiceTimes",
    "Settings",
    "SparkEngine",
    "Summary",
    "Trace",
    "bucket_of",
    "catalogue",
    "drives",
    "greatest_ns",
    "hours_of_day",
    "least_ns",
    "open_run",
    "open_trace",
    "outside_peers",
    "percentiles_by_model",
    "reviews",
    "rollup",
    "slower_drives",
    "slowest_drives",
    "spark_s3_settings",
    "write_amplification",
]
