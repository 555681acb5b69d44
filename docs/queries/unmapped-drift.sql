-- Which events of other agents no rule of the conversion knows, by agent, version and kind,
-- and since when: an agent has changed, or openagent has to learn.
SELECT
  r.source_format, r.agent_version, f.subject AS kind,
  CAST(min(r.started) AS date) AS first_day,
  CAST(max(r.started) AS date) AS last_day,
  count(DISTINCT r.run_key) AS runs,
  sum(f.count) AS events
FROM findings f JOIN runs r ON r.run_key = f.run_key
WHERE f.rule = 'agent/unmapped'
GROUP BY r.source_format, r.agent_version, f.subject
ORDER BY r.source_format, r.agent_version, kind
