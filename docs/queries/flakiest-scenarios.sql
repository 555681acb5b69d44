-- Which scenarios pass sometimes and fail sometimes: the share of the rarer outcome
-- among all attempts, and in how many runs of the tests one was seen as flaky.
SELECT
  id,
  sum(attempts) AS attempts,
  sum(attempts - passed) AS failed,
  count(CASE WHEN status = 'flaky' THEN 1 END) AS flaky,
  round(100.0 * least(sum(passed), sum(attempts - passed)) / sum(attempts), 1) AS percent
FROM scenarios
WHERE attempts > 0
GROUP BY id
HAVING sum(passed) > 0 AND sum(attempts - passed) > 0
ORDER BY percent DESC, id
LIMIT 20
