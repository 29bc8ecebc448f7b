-- Which drives have the largest share of slow I/Os, and how sure is that?
--
-- An I/O is slow if its service time is in a bucket above the one that holds the 99.9th percentile of all I/Os of the same
-- operation on drives of the same model. I/Os of a drive in results that do not name its model are compared with each other, and
-- are a row of their own.
-- slow_ppm: slow I/Os in a million of the drive's measured I/Os whose service time is known. Over all drives of a model it
-- is 1,000 or somewhat less, so that a drive is slower than its model where lower_bound_ppm is above 1,000.
-- standard_error_ppm: of slow_ppm as a ratio estimate (Cochran, Sampling Techniques, 1977, chapter 6) with the five-minute
-- intervals as units, since I/Os within an interval are not independent: with s slow ones of n I/Os in an interval, m
-- intervals and r = sum(s) / sum(n), it is sqrt(m / (m - 1) * sum((s - r * n)^2)) / sum(n). Where a drive is slow for hours
-- together, intervals are not independent either, and the true error is larger.
-- lower_bound_ppm: slow_ppm - 1.645 standard errors, at least 0: with a normal distribution the true share is above it in 95
-- of 100 cases: of many drives that are alike, some are slightly above 1,000 by chance. Both are absent where there are fewer
-- than 30 intervals.
-- host: the machine that has the drive; of several the first one in the order of names.
-- The 100 drives with the largest lower bounds, then those with the largest shares. All *_ppm are rounded to thousandths.
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
  SELECT d.drive, d.drive_model, coalesce(d.drive_model, d.drive) AS peers, r.host, r.operation, r.interval_start_utc,
    CAST(r.latency_bucket AS BIGINT) AS bucket, r.ios
  FROM rollup r JOIN devices d ON r.run = d.run AND r.host = d.host AND r.device = d.device
  WHERE r.measured AND r.latency_bucket IS NOT NULL),
buckets AS (
  SELECT peers, operation, bucket, CAST(sum(ios) AS BIGINT) AS ios FROM measured GROUP BY peers, operation, bucket),
ranks AS (
  SELECT peers, operation, bucket,
    CAST(sum(ios) OVER (PARTITION BY peers, operation ORDER BY bucket) AS BIGINT) AS reached,
    CAST(sum(ios) OVER (PARTITION BY peers, operation) AS BIGINT) AS of_ios
  FROM buckets),
limits AS (
  SELECT peers, operation, min(bucket) AS slow_above FROM ranks WHERE reached * 1000 >= of_ios * 999
  GROUP BY peers, operation),
intervals AS (
  SELECT m.drive, m.peers, m.drive_model, m.interval_start_utc, min(m.host) AS host, CAST(sum(m.ios) AS BIGINT) AS ios,
    CAST(sum(CASE WHEN m.bucket > l.slow_above THEN m.ios ELSE 0 END) AS BIGINT) AS slow
  FROM measured m JOIN limits l ON m.peers = l.peers AND m.operation = l.operation
  GROUP BY m.drive, m.peers, m.drive_model, m.interval_start_utc),
shares AS (
  SELECT drive, peers, drive_model, min(host) AS host, count(*) AS intervals, CAST(sum(ios) AS BIGINT) AS ios,
    CAST(sum(slow) AS BIGINT) AS slow_ios
  FROM intervals GROUP BY drive, peers, drive_model),
squares AS (
  SELECT i.drive, i.peers,
    (i.slow - CAST(s.slow_ios AS DOUBLE) / CAST(s.ios AS DOUBLE) * i.ios)
      * (i.slow - CAST(s.slow_ios AS DOUBLE) / CAST(s.ios AS DOUBLE) * i.ios) AS square
  FROM intervals i JOIN shares s ON i.drive = s.drive AND i.peers = s.peers),
-- Sums of whole numbers and of whole millionths: their order does not matter, as that of sums of fractions does.
sums AS (
  SELECT drive, peers, CAST(CAST(sum(CAST(floor(square) AS BIGINT)) AS BIGINT) AS DOUBLE)
    + CAST(CAST(sum(CAST(floor((square - floor(square)) * 1000000) AS BIGINT)) AS BIGINT) AS DOUBLE) / 1000000 AS squares
  FROM squares GROUP BY drive, peers),
errors AS (
  SELECT s.drive, s.drive_model, s.host, s.intervals, s.ios, s.slow_ios,
    CAST(s.slow_ios AS DOUBLE) / CAST(s.ios AS DOUBLE) AS share,
    CASE WHEN s.intervals >= 30 THEN
      sqrt(CAST(s.intervals AS DOUBLE) / CAST(s.intervals - 1 AS DOUBLE) * q.squares) / CAST(s.ios AS DOUBLE) END AS error
  FROM shares s JOIN sums q ON s.drive = q.drive AND s.peers = q.peers),
bounds AS (
  SELECT drive, drive_model, host, intervals, ios, slow_ios, share, error,
    CASE WHEN share > 1.645e0 * error THEN share - 1.645e0 * error
      WHEN error IS NOT NULL THEN 0e0 END AS bound
  FROM errors)
SELECT drive, drive_model, host, intervals, ios, slow_ios,
  CAST(floor(share * 1000000000 + 0.5e0) AS DOUBLE) / 1000 AS slow_ppm,
  CAST(floor(error * 1000000000 + 0.5e0) AS DOUBLE) / 1000 AS standard_error_ppm,
  CAST(floor(bound * 1000000000 + 0.5e0) AS DOUBLE) / 1000 AS lower_bound_ppm
FROM bounds
ORDER BY lower_bound_ppm DESC NULLS LAST, slow_ppm DESC, drive, drive_model NULLS LAST
LIMIT 100
