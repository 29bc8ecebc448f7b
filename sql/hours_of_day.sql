-- At which hours of the day is most done, and are I/Os slower then?
--
-- One row for each operation and hour of the day in UTC, over all measured I/Os whose service time is known.
-- slow_ppm: slow I/Os in a million, rounded to thousandths. An I/O is slow if its service time is in a bucket above the one
-- that holds the 99.9th percentile of all I/Os of the same operation on drives of the same model (of the same drive where
-- the model is not known), so that an hour in which faster models work more is not taken for a better one.
-- p99_us: the I/O of rank ceil(0.99 * ios) over all models, as the least value of its bucket in microseconds.
-- A run that was exported as of several machines counts once, for the first one in the order of names that has a rollup of it.
WITH rolled AS (
  SELECT DISTINCT run, host FROM rollup),
once AS (
  SELECT d.run, coalesce(min(r.host), min(d.host)) AS host
  FROM drives d LEFT JOIN rolled r ON d.run = r.run AND d.host = r.host GROUP BY d.run),
devices AS (
  SELECT d.run, d.host, d.machine, d.device, d.drive, d.drive_model, d.firmware
  FROM drives d JOIN once o ON d.run = o.run AND d.host = o.host),
measured AS (
  SELECT coalesce(d.drive_model, d.drive) AS peers, r.operation AS op, r.ios,
    CAST(EXTRACT(HOUR FROM r.interval_start_utc) AS BIGINT) AS hour_utc, CAST(r.latency_bucket AS BIGINT) AS bucket
  FROM rollup r JOIN devices d ON r.run = d.run AND r.host = d.host AND r.device = d.device
  WHERE r.measured AND r.latency_bucket IS NOT NULL),
buckets AS (
  SELECT peers, op, bucket, CAST(sum(ios) AS BIGINT) AS ios FROM measured GROUP BY peers, op, bucket),
ranks AS (
  SELECT peers, op, bucket,
    CAST(sum(ios) OVER (PARTITION BY peers, op ORDER BY bucket) AS BIGINT) AS reached,
    CAST(sum(ios) OVER (PARTITION BY peers, op) AS BIGINT) AS of_ios
  FROM buckets),
limits AS (
  SELECT peers, op, min(bucket) AS slow_above FROM ranks WHERE reached * 1000 >= of_ios * 999
  GROUP BY peers, op),
hours AS (
  SELECT m.op, m.hour_utc, m.bucket, CAST(sum(m.ios) AS BIGINT) AS ios,
    CAST(sum(CASE WHEN m.bucket > l.slow_above THEN m.ios ELSE 0 END) AS BIGINT) AS slow
  FROM measured m JOIN limits l ON m.peers = l.peers AND m.op = l.op
  GROUP BY m.op, m.hour_utc, m.bucket),
hour_ranks AS (
  SELECT op, hour_utc, ios, slow,
    CAST(sum(ios) OVER (PARTITION BY op, hour_utc ORDER BY bucket) AS BIGINT) AS reached,
    CAST(sum(ios) OVER (PARTITION BY op, hour_utc) AS BIGINT) AS of_ios,
    CASE WHEN bucket < 256 THEN CAST(bucket AS DOUBLE)
      ELSE CAST(128 + bucket % 128 AS DOUBLE)
        * power(2e0, CAST(bucket - bucket % 128 AS DOUBLE) / 128 - 1) END / 1000 AS us
  FROM hours),
sums AS (
  SELECT op, hour_utc, CAST(sum(ios) AS BIGINT) AS ios, CAST(sum(slow) AS BIGINT) AS slow_ios,
    min(CASE WHEN reached * 100 >= of_ios * 99 THEN us END) AS p99_us
  FROM hour_ranks GROUP BY op, hour_utc)
SELECT CASE s.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'discard' ELSE 'flush' END AS operation,
  s.hour_utc, s.ios, s.slow_ios,
  CAST(floor(CAST(s.slow_ios AS DOUBLE) / CAST(s.ios AS DOUBLE) * 1000000000 + 0.5e0) AS DOUBLE) / 1000
    AS slow_ppm,
  s.p99_us
FROM sums s
ORDER BY s.op, s.hour_utc
