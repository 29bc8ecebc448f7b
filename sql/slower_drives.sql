-- Which drives have got slower?
--
-- Drives whose p99 of reads in the last 7 days of their data is larger by more than one part in ten than the p99 before.
-- The last 7 days of a drive end with the last five minutes in which it has measured reads, so that drives of which data
-- ends earlier are compared, too. Only drives with at least 10,000 reads in each of the two times are compared: 100 reads
-- are at or above the p99 then. A drive that does another work than before is slower, too: look at what its machine does.
-- Results that do not name the model of a drive are not compared with others of it.
-- reads_before, reads_last_7_days: measured reads whose service time is known.
-- p99_before_us, p99_last_7_days_us: the read of rank ceil(0.99 * reads), as the least value of its bucket in microseconds.
-- ratio: the later p99 by the earlier one, rounded down to thousandths.
-- host: the machine that has the drive; of several the first one in the order of names.
-- A run that was exported as of several machines counts once, for the first one in the order of names that has a rollup of it.
WITH rolled AS (
  SELECT DISTINCT run, host FROM rollup),
once AS (
  SELECT d.run, coalesce(min(r.host), min(d.host)) AS host
  FROM drives d LEFT JOIN rolled r ON d.run = r.run AND d.host = r.host GROUP BY d.run),
devices AS (
  SELECT d.run, d.host, d.machine, d.device, d.drive, d.drive_model, d.firmware
  FROM drives d JOIN once o ON d.run = o.run AND d.host = o.host),
reads AS (
  SELECT d.drive, d.drive_model, coalesce(d.drive_model, d.drive) AS peers, r.host, r.interval_start_utc, CAST(r.latency_bucket AS BIGINT) AS bucket, r.ios
  FROM rollup r JOIN devices d ON r.run = d.run AND r.host = d.host AND r.device = d.device
  WHERE r.measured AND r.operation = 0 AND r.latency_bucket IS NOT NULL),
ends AS (
  SELECT drive, peers, min(host) AS host, max(interval_start_utc) AS last_start FROM reads GROUP BY drive, peers),
times AS (
  SELECT r.drive, r.peers, r.drive_model, e.host, r.bucket, r.ios,
    CASE WHEN r.interval_start_utc > e.last_start - INTERVAL '7' DAY THEN 1 ELSE 0 END AS is_late
  FROM reads r JOIN ends e ON r.drive = e.drive AND r.peers = e.peers),
buckets AS (
  SELECT drive, peers, drive_model, host, is_late, bucket, CAST(sum(ios) AS BIGINT) AS ios
  FROM times GROUP BY drive, peers, drive_model, host, is_late, bucket),
ranks AS (
  SELECT drive, peers, drive_model, host, is_late,
    CAST(sum(ios) OVER (PARTITION BY drive, peers, is_late ORDER BY bucket) AS BIGINT) AS reached,
    CAST(sum(ios) OVER (PARTITION BY drive, peers, is_late) AS BIGINT) AS of_ios,
    CASE WHEN bucket < 256 THEN CAST(bucket AS DOUBLE)
      ELSE CAST(128 + bucket % 128 AS DOUBLE)
        * power(2e0, CAST(bucket - bucket % 128 AS DOUBLE) / 128 - 1) END AS ns
  FROM buckets),
p99s AS (
  SELECT drive, peers, drive_model, host,
    min(CASE WHEN is_late = 0 THEN of_ios END) AS reads_before,
    min(CASE WHEN is_late = 1 THEN of_ios END) AS reads_last_7_days,
    min(CASE WHEN is_late = 0 THEN ns END) AS before_ns,
    min(CASE WHEN is_late = 1 THEN ns END) AS late_ns
  FROM ranks WHERE reached * 100 >= of_ios * 99 GROUP BY drive, peers, drive_model, host)
SELECT drive, drive_model, host, reads_before, reads_last_7_days, before_ns / 1000 AS p99_before_us,
  late_ns / 1000 AS p99_last_7_days_us, CAST(floor(late_ns / before_ns * 1000) AS DOUBLE) / 1000 AS ratio
FROM p99s
WHERE reads_before >= 10000 AND reads_last_7_days >= 10000 AND before_ns > 0 AND late_ns * 10 > before_ns * 11
ORDER BY ratio DESC, drive, drive_model NULLS LAST
