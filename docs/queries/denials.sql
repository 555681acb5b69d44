-- What agents were denied: by tool, who decided, and why.
SELECT
  r.agent_name, c.tool, c.decision_source, c.decision_reason,
  count(*) AS denials,
  count(DISTINCT c.run_key) AS runs
FROM tool_calls c JOIN runs r ON r.run_key = c.run_key
WHERE c.decision = 'deny'
GROUP BY r.agent_name, c.tool, c.decision_source, c.decision_reason
ORDER BY denials DESC, r.agent_name, c.tool, c.decision_source, c.decision_reason
LIMIT 50
