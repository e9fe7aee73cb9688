-- Every cell of tables 1a and 1b for the plots: metric, rank of the method, learners, chips, published, simulated,
-- half-width of the 95 % interval (percent; empty when there is none), replicas, and last what people call the method.
WITH cell AS (
    SELECT 'goodput' AS metric, method, learners, chips, published, simulated, ci95, n FROM table_1a
    UNION ALL
    SELECT 'uptime', method, learners, chips, published, simulated, ci95, n FROM table_1b
)
SELECT metric,
       CASE method WHEN 'dp' THEN 1 WHEN 'elastic-dp' THEN 2 WHEN 'diloco' THEN 3 WHEN 'streaming-diloco' THEN 4
                   WHEN 'decoupled-diloco' THEN 5 ELSE 6 END AS rank,
       CAST(learners AS INTEGER) AS learners,
       CAST(chips AS INTEGER) AS chips,
       100.0 * published,
       100.0 * simulated,
       100.0 * ci95,
       CAST(n AS INTEGER),
       CASE method WHEN 'dp' THEN 'Data-parallel'
                   WHEN 'elastic-dp' THEN 'Elastic data-parallel'
                   WHEN 'diloco' THEN 'DiLoCo, M = ' || CAST(learners AS INTEGER)
                   WHEN 'streaming-diloco' THEN 'Streaming DiLoCo, M = ' || CAST(learners AS INTEGER)
                   WHEN 'decoupled-diloco' THEN 'Decoupled DiLoCo, M = ' || CAST(learners AS INTEGER)
                   ELSE replace(replace(method, char(10), ' '), char(13), ' ') || ', M = ' || CAST(learners AS INTEGER)
       END AS label
FROM cell
WHERE method IS NOT NULL AND chips > 0
ORDER BY metric, rank, method, learners, chips;
