-- Which rules an agent's version broke for the first time in the last seven days that the
-- archive has.
WITH broken AS (
  SELECT
    r.agent_name, r.agent_version, f.rule,
    CAST(min(r.started) AS date) AS first_day,
    count(DISTINCT r.run_key) AS runs,
    sum(f.count) AS findings
  FROM findings f JOIN runs r ON r.run_key = f.run_key
  GROUP BY r.agent_name, r.agent_version, f.rule
)
SELECT agent_name, agent_version, rule, first_day, runs, findings
FROM broken
WHERE first_day > (SELECT CAST(max(started) AS date) FROM runs) - INTERVAL '7' DAY
ORDER BY first_day, agent_name, agent_version, rule
