-- How much do drives write to their flash for what the hosts write, by model and firmware?
--
-- Over all runs in the catalogue of which the counters of the drive were read and the host wrote something.
-- runs, hosts: how many runs and machines the row is of. Machines of one name are told apart by the column machine; those of
-- which it is not known are one.
-- host_bytes_written, flash_bytes_written: the sums of what the drives' own counters went up by during whole runs, so that
-- I/Os which prepare a drive are part of them.
-- write_amplification: flash_bytes_written by host_bytes_written; least and most: of the run with the least and the most of
-- it. All are rounded to thousandths. 1 means that each byte is written once; less, that the drive compresses. Counters
-- of many drives count in units of up to 32 MiB: a run that writes little says little.
-- drive_model, firmware: absent where the results do not name them.
-- A run that was exported as of several machines counts once, for the first one in the order of names.
WITH once AS (
  SELECT run, min(host) AS host FROM catalogue GROUP BY run),
counted AS (
  SELECT coalesce(drive_model, '') AS model, coalesce(firmware, '') AS version, c.host, c.machine,
    CAST(host_bytes_written AS DECIMAL(28, 0)) AS host_bytes, CAST(flash_bytes_written AS DECIMAL(28, 0)) AS flash_bytes,
    CAST(flash_bytes_written AS DOUBLE) / CAST(host_bytes_written AS DOUBLE) AS amplification
  FROM catalogue c JOIN once o ON c.run = o.run AND c.host = o.host
  WHERE host_bytes_written > 0 AND flash_bytes_written IS NOT NULL),
sums AS (
  SELECT model, version, count(*) AS runs,
    count(DISTINCT host) + count(DISTINCT host || '/' || machine)
      - count(DISTINCT CASE WHEN machine IS NOT NULL THEN host END) AS hosts,
    CAST(sum(host_bytes) AS DECIMAL(38, 0)) AS host_bytes_written,
    CAST(sum(flash_bytes) AS DECIMAL(38, 0)) AS flash_bytes_written,
    min(amplification) AS least, max(amplification) AS most
  FROM counted GROUP BY model, version)
SELECT nullif(model, '') AS drive_model, nullif(version, '') AS firmware, runs, hosts, host_bytes_written,
  flash_bytes_written,
  CAST(floor(CAST(flash_bytes_written AS DOUBLE) / CAST(host_bytes_written AS DOUBLE) * 1000 + 0.5e0) AS DOUBLE)
    / 1000 AS write_amplification,
  CAST(floor(least * 1000 + 0.5e0) AS DOUBLE) / 1000 AS least,
  CAST(floor(most * 1000 + 0.5e0) AS DOUBLE) / 1000 AS most
FROM sums
ORDER BY model, version
