-- Why runs do not succeed: verdict and exit reason, by agent, with the share of its runs.
WITH all_runs AS (
  SELECT agent_name, count(*) AS runs FROM runs GROUP BY agent_name
)
SELECT
  r.agent_name, r.verdict, r.exit_reason,
  count(*) AS failed,
  round(100.0 * count(*) / max(a.runs), 1) AS percent
FROM runs r JOIN all_runs a ON a.agent_name = r.agent_name
WHERE r.verdict <> 'success'
GROUP BY r.agent_name, r.verdict, r.exit_reason
ORDER BY failed DESC, r.agent_name, r.verdict, r.exit_reason
