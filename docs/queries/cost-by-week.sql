-- What runs cost, by week and agent; runs of unknown cost are counted beside.
SELECT
  CAST(date_trunc('week', started) AS date) AS week,
  agent_name,
  count(*) AS runs,
  round(sum(cost_usd), 4) AS usd,
  round(avg(cost_usd), 4) AS usd_each,
  sum(total_tokens) AS tokens,
  count(*) - count(cost_usd) AS unknown
FROM runs
GROUP BY CAST(date_trunc('week', started) AS date), agent_name
ORDER BY week, agent_name
