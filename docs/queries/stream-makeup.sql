-- What streams are made of: events of each type, their bytes, and how many of each a run
-- has.
SELECT
  type,
  count(*) AS events,
  sum(line_bytes) AS bytes,
  round(avg(line_bytes), 1) AS mean_bytes,
  count(DISTINCT run_key) AS runs,
  round(1.0 * count(*) / count(DISTINCT run_key), 2) AS each_run
FROM events
WHERE run_key IN (SELECT run_key FROM runs)
GROUP BY type
ORDER BY events DESC, type
