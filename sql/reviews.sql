-- What was measured, on which drive, and what came out?
--
-- One row for each run or trace and each of its drives, in the order in which they began.
-- iops, mb_s: reads and writes together, rounded to tenths; MB are 1,000,000 bytes. Where all I/Os of the run are measured,
-- they are those of the whole run by its length. Where I/Os that prepare the drive are among them, they are the mean of the
-- five-minute intervals that lie between the first and the last one with measured I/Os and hold no others; absent where
-- there is none.
-- read_p99_us, write_p99_us: the measured I/O of rank ceil(0.99 * n), as the least value of its bucket in microseconds.
-- write_amplification: of the whole run, by the counters of the drive, rounded to thousandths; absent where they were not
-- read or the host wrote nothing.
-- started: as in the catalogue (`start`). drive, drive_model: absent where the result does not name them.
-- A run that was exported as of several machines counts once, for the first one in the order of names that has a rollup of it.
WITH rolled AS (
  SELECT DISTINCT run, host FROM rollup),
once AS (
  SELECT d.run, coalesce(min(r.host), min(d.host)) AS host
  FROM drives d LEFT JOIN rolled r ON d.run = r.run AND d.host = r.host GROUP BY d.run),
once_listed AS (
  SELECT c.run, coalesce(min(r.host), min(c.host)) AS host
  FROM catalogue c LEFT JOIN rolled r ON c.run = r.run AND c.host = r.host GROUP BY c.run),
devices AS (
  SELECT d.run, d.host, d.machine, d.device, d.drive, d.drive_model, d.firmware
  FROM drives d JOIN once o ON d.run = o.run AND d.host = o.host),
intervals AS (
  SELECT run, host, device, interval_start_utc,
    CAST(sum(CASE WHEN measured THEN ios ELSE 0 END) AS BIGINT) AS ios,
    CAST(sum(CASE WHEN measured THEN bytes ELSE 0 END) AS BIGINT) AS bytes,
    CAST(sum(CASE WHEN measured THEN 0 ELSE ios + failed_ios END) AS BIGINT) AS others,
    max(CASE WHEN measured THEN 1 ELSE 0 END) AS has_measured
  FROM rollup WHERE operation IN (0, 1)
  GROUP BY run, host, device, interval_start_utc),
ends AS (
  SELECT run, host, device, min(interval_start_utc) AS first_start, max(interval_start_utc) AS last_start
  FROM intervals WHERE has_measured = 1 GROUP BY run, host, device),
inner_intervals AS (
  SELECT i.run, i.host, i.device, i.ios, i.bytes, i.others,
    CASE WHEN i.others = 0 AND i.interval_start_utc > e.first_start AND i.interval_start_utc < e.last_start
      THEN 1 ELSE 0 END AS is_inner
  FROM intervals i JOIN ends e ON i.run = e.run AND i.host = e.host AND i.device = e.device),
unmeasured AS (
  SELECT run, host, device, CAST(sum(others) AS BIGINT) AS others FROM intervals GROUP BY run, host, device),
rates AS (
  SELECT i.run, i.host, i.device, CAST(sum(i.ios) AS BIGINT) AS ios, CAST(sum(i.bytes) AS BIGINT) AS bytes,
    CAST(sum(CASE WHEN i.is_inner = 1 THEN i.ios ELSE 0 END) AS BIGINT) AS inner_ios,
    CAST(sum(CASE WHEN i.is_inner = 1 THEN i.bytes ELSE 0 END) AS BIGINT) AS inner_bytes,
    CAST(sum(i.is_inner) AS BIGINT) * 300 AS inner_seconds
  FROM inner_intervals i GROUP BY i.run, i.host, i.device),
buckets AS (
  SELECT run, host, device, operation, CAST(latency_bucket AS BIGINT) AS bucket, CAST(sum(ios) AS BIGINT) AS ios
  FROM rollup WHERE measured AND operation IN (0, 1) AND latency_bucket IS NOT NULL
  GROUP BY run, host, device, operation, latency_bucket),
ranks AS (
  SELECT run, host, device, operation,
    CAST(sum(ios) OVER (PARTITION BY run, host, device, operation ORDER BY bucket) AS BIGINT) AS reached,
    CAST(sum(ios) OVER (PARTITION BY run, host, device, operation) AS BIGINT) AS of_ios,
    CASE WHEN bucket < 256 THEN CAST(bucket AS DOUBLE)
      ELSE CAST(128 + bucket % 128 AS DOUBLE)
        * power(2e0, CAST(bucket - bucket % 128 AS DOUBLE) / 128 - 1) END / 1000 AS us
  FROM buckets),
p99s AS (
  SELECT run, host, device, min(CASE WHEN operation = 0 THEN us END) AS read_p99_us,
    min(CASE WHEN operation = 1 THEN us END) AS write_p99_us
  FROM ranks WHERE reached * 100 >= of_ios * 99 GROUP BY run, host, device),
figures AS (
  SELECT c.run, c.host, c.kind, c.label, c.start AS started, c.start_unix_ns, c.seconds,
    d.drive, d.device, coalesce(d.drive_model, c.drive_model) AS drive_model, coalesce(d.firmware, c.firmware) AS firmware,
    r.ios, r.bytes, p.read_p99_us, p.write_p99_us,
    CAST(CASE WHEN u.others = 0 THEN r.ios ELSE r.inner_ios END AS DOUBLE)
      / nullif(CASE WHEN u.others = 0 THEN c.seconds ELSE CAST(r.inner_seconds AS DOUBLE) END, 0e0) AS iops,
    CAST(CASE WHEN u.others = 0 THEN r.bytes ELSE r.inner_bytes END AS DOUBLE)
      / nullif(CASE WHEN u.others = 0 THEN c.seconds ELSE CAST(r.inner_seconds AS DOUBLE) END, 0e0)
      / 1000000 AS mb_s,
    CAST(c.flash_bytes_written AS DOUBLE) / CAST(nullif(c.host_bytes_written, 0) AS DOUBLE) AS amplification
  FROM catalogue c JOIN once_listed o ON c.run = o.run AND c.host = o.host
  LEFT JOIN devices d ON c.run = d.run AND c.host = d.host
  LEFT JOIN unmeasured u ON d.run = u.run AND d.host = u.host AND d.device = u.device
  LEFT JOIN rates r ON d.run = r.run AND d.host = r.host AND d.device = r.device
  LEFT JOIN p99s p ON d.run = p.run AND d.host = p.host AND d.device = p.device)
SELECT run, host, drive, drive_model, firmware, kind, label, started, ios, bytes,
  CAST(floor(iops * 10 + 0.5e0) AS DOUBLE) / 10 AS iops,
  CAST(floor(mb_s * 10 + 0.5e0) AS DOUBLE) / 10 AS mb_s,
  read_p99_us, write_p99_us,
  CAST(floor(amplification * 1000 + 0.5e0) AS DOUBLE) / 1000 AS write_amplification
FROM figures
ORDER BY start_unix_ns, run, host, drive NULLS LAST, device NULLS LAST
