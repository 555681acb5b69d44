-- Which tools take the time: calls, total, mean, the duration that 95 of 100 calls do not
-- exceed, and the longest, in milliseconds.
WITH calls AS (
  SELECT
    tool, duration_ms,
    row_number() OVER (PARTITION BY tool ORDER BY duration_ms) AS place,
    count(*) OVER (PARTITION BY tool) AS calls
  FROM tool_calls
  WHERE duration_ms IS NOT NULL AND run_key IN (SELECT run_key FROM runs)
)
SELECT
  tool,
  max(calls) AS calls,
  sum(duration_ms) AS total_ms,
  round(avg(duration_ms), 1) AS mean_ms,
  min(CASE WHEN place * 100 >= calls * 95 THEN duration_ms END) AS p95_ms,
  max(duration_ms) AS longest_ms
FROM calls
GROUP BY tool
ORDER BY total_ms DESC, tool
LIMIT 20
