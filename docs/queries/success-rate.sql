-- How many of an agent's runs succeed, by version and model.
SELECT
  agent_name, agent_version, model,
  count(*) AS runs,
  count(CASE WHEN verdict = 'success' THEN 1 END) AS succeeded,
  round(100.0 * count(CASE WHEN verdict = 'success' THEN 1 END) / count(*), 1) AS percent
FROM runs
GROUP BY agent_name, agent_version, model
ORDER BY agent_name, agent_version, model
