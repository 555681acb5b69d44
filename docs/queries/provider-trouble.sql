-- When providers had trouble: requests that were sent again or failed for good, by day.
SELECT
  CAST(r.started AS date) AS day,
  r.provider, r.model, e.type, e.kind,
  count(*) AS events,
  count(DISTINCT e.run_key) AS runs
FROM events e JOIN runs r ON r.run_key = e.run_key
WHERE e.type IN ('provider_retry', 'provider_error')
GROUP BY CAST(r.started AS date), r.provider, r.model, e.type, e.kind
ORDER BY day, r.provider, r.model, e.type, e.kind
