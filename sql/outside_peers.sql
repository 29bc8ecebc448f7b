-- Which drives are unlike the other drives of their model?
--
-- A drive is outside of its peers, for one operation, where its mean service time differs from the median of all drives of
-- its model by more than 3.5 robust standard deviations and by more than one part in ten of the median. The robust standard
-- deviation is 1.4826 times the median absolute deviation (MAD), which one or two outliers do not move (Iglewicz and
-- Hoaglin, How to Detect and Handle Outliers, 1993). Models with fewer than 5 drives are left out, and so are drives with
-- fewer than 1,000 I/Os of the operation. Service times depend on what is asked of a drive: a drive with another work than
-- its peers is outside of them, too.
-- mean_us: the mean service time of the drive, rounded down to nanoseconds, over measured I/Os whose service time is known.
-- median_us: the median of the means of all drives of the model; of an even number of drives the lower one of the middle.
-- mad_us: the median absolute deviation, in the same way. deviations: by how many robust standard deviations the drive
-- differs, rounded to hundredths, negative where it is faster; absent where the MAD is 0.
-- peers: how many drives of the model the median is of, this one among them.
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
sums AS (
  SELECT d.drive, d.drive_model, r.operation AS op, min(r.host) AS host, CAST(sum(r.ios) AS BIGINT) AS ios,
    CAST(sum(CAST(r.service_sum_ns AS DECIMAL(28, 0))) AS DECIMAL(38, 0)) AS service_ns
  FROM rollup r JOIN devices d ON r.run = d.run AND r.host = d.host AND r.device = d.device
  WHERE r.measured AND r.latency_bucket IS NOT NULL AND d.drive_model IS NOT NULL
  GROUP BY d.drive, d.drive_model, r.operation),
means AS (
  SELECT drive, drive_model, op, host, ios,
    CAST(floor(CAST(service_ns AS DOUBLE) / CAST(ios AS DOUBLE)) AS BIGINT) AS mean_ns
  FROM sums WHERE ios >= 1000),
mean_ranks AS (
  SELECT drive_model, op, mean_ns,
    CAST(row_number() OVER (PARTITION BY drive_model, op ORDER BY mean_ns, drive) AS BIGINT) AS place,
    CAST(count(*) OVER (PARTITION BY drive_model, op) AS BIGINT) AS peers
  FROM means),
medians AS (
  SELECT drive_model, op, peers, min(mean_ns) AS median_ns
  FROM mean_ranks WHERE place * 2 >= peers AND peers >= 5 GROUP BY drive_model, op, peers),
distances AS (
  SELECT m.drive, m.drive_model, m.op, m.host, m.ios, m.mean_ns, d.peers, d.median_ns,
    abs(m.mean_ns - d.median_ns) AS distance_ns
  FROM means m JOIN medians d ON m.drive_model = d.drive_model AND m.op = d.op),
distance_ranks AS (
  SELECT drive_model, op, distance_ns, peers,
    CAST(row_number() OVER (PARTITION BY drive_model, op ORDER BY distance_ns, drive) AS BIGINT) AS place
  FROM distances),
mads AS (
  SELECT drive_model, op, min(distance_ns) AS mad_ns
  FROM distance_ranks WHERE place * 2 >= peers GROUP BY drive_model, op)
SELECT d.drive, d.drive_model, d.host,
  CASE d.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'discard' ELSE 'flush' END AS operation,
  d.peers, d.ios, CAST(d.mean_ns AS DOUBLE) / 1000 AS mean_us, CAST(d.median_ns AS DOUBLE) / 1000 AS median_us,
  CAST(m.mad_ns AS DOUBLE) / 1000 AS mad_us,
  CAST(floor(CAST((d.mean_ns - d.median_ns) * 1000000 AS DOUBLE) / CAST(nullif(m.mad_ns, 0) * 14826 AS DOUBLE)
    + 0.5e0) AS DOUBLE) / 100 AS deviations
FROM distances d JOIN mads m ON d.drive_model = m.drive_model AND d.op = m.op
WHERE d.distance_ns * 100000 > m.mad_ns * 518910 AND d.distance_ns * 10 > d.median_ns
ORDER BY d.drive_model, d.op, d.distance_ns DESC, d.drive
