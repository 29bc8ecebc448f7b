-- How long do reads and writes take on each model and firmware?
--
-- One row for each model, firmware and operation, over all measured I/Os of all drives, hosts and days.
-- p50_us, p99_us and p999_us: the percentile p of n I/Os is the one of rank ceil(p * n), shown as the least value of its
-- bucket, in microseconds. A bucket is at most 0.8 % wide. Absent where no service time is known.
-- drives, hosts: how many drives and machines the row is of. Machines of one name are told apart by the column machine; those
-- of which it is not known are one.
-- ios, bytes: I/Os that succeeded, also those whose service time is not known. failed_ios: those that failed.
-- drive_model, firmware: absent where the results do not name them.
-- A run that was exported as of several machines counts once, for the first one in the order of names that has a rollup of it.
WITH rolled AS (
  SELECT DISTINCT run, host FROM rollup),
once AS (
  SELECT d.run, coalesce(min(r.host), min(d.host)) AS host
  FROM drives d LEFT JOIN rolled r ON d.run = r.run AND d.host = r.host GROUP BY d.run),
devices AS (
  SELECT d.run, d.host, d.machine, d.device, d.drive, d.drive_model, d.firmware
  FROM drives d JOIN once o ON d.run = o.run AND d.host = o.host),
groups AS (
  SELECT coalesce(d.drive_model, '') AS model, coalesce(d.firmware, '') AS version, r.operation AS op,
    CAST(r.latency_bucket AS BIGINT) AS bucket, r.ios, r.failed_ios, r.bytes, d.drive, r.host, d.machine
  FROM rollup r JOIN devices d ON r.run = d.run AND r.host = d.host AND r.device = d.device
  WHERE r.measured),
totals AS (
  SELECT model, version, op, count(DISTINCT drive) AS drives,
    count(DISTINCT host) + count(DISTINCT host || '/' || machine)
      - count(DISTINCT CASE WHEN machine IS NOT NULL THEN host END) AS hosts,
    CAST(sum(ios) AS BIGINT) AS ios, CAST(sum(failed_ios) AS BIGINT) AS failed_ios,
    CAST(sum(CAST(bytes AS DECIMAL(28, 0))) AS DECIMAL(38, 0)) AS bytes
  FROM groups GROUP BY model, version, op),
buckets AS (
  SELECT model, version, op, bucket, CAST(sum(ios) AS BIGINT) AS ios
  FROM groups WHERE bucket IS NOT NULL GROUP BY model, version, op, bucket),
ranks AS (
  SELECT model, version, op,
    CAST(sum(ios) OVER (PARTITION BY model, version, op ORDER BY bucket) AS BIGINT) AS reached,
    CAST(sum(ios) OVER (PARTITION BY model, version, op) AS BIGINT) AS of_ios,
    CASE WHEN bucket < 256 THEN CAST(bucket AS DOUBLE)
      ELSE CAST(128 + bucket % 128 AS DOUBLE)
        * power(2e0, CAST(bucket - bucket % 128 AS DOUBLE) / 128 - 1) END / 1000 AS us
  FROM buckets),
percentiles AS (
  SELECT model, version, op,
    min(CASE WHEN reached * 2 >= of_ios THEN us END) AS p50_us,
    min(CASE WHEN reached * 100 >= of_ios * 99 THEN us END) AS p99_us,
    min(CASE WHEN reached * 1000 >= of_ios * 999 THEN us END) AS p999_us
  FROM ranks GROUP BY model, version, op)
SELECT nullif(t.model, '') AS drive_model, nullif(t.version, '') AS firmware,
  CASE t.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'discard' ELSE 'flush' END AS operation,
  t.drives, t.hosts, t.ios, t.failed_ios, t.bytes, p.p50_us, p.p99_us, p.p999_us
FROM totals t LEFT JOIN percentiles p ON t.model = p.model AND t.version = p.version AND t.op = p.op
ORDER BY t.model, t.version, t.op
