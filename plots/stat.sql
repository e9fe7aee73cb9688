-- Mean and half-width of the 95 % interval (Student's t) of a metric, by scenario (plots/picture.sh).
CREATE TEMP TABLE @table@ AS
    WITH value AS (
        SELECT scenario_id, "@metric@" AS x FROM run
        WHERE status = 'done' AND "@metric@" IS NOT NULL AND scenario_id IN (SELECT id FROM chosen)
    ), mean AS (
        SELECT scenario_id, count(*) AS n, avg(x) AS mean FROM value GROUP BY scenario_id
    )
    SELECT mean.scenario_id, n, mean, coalesce(sqrt(sum((x - mean) * (x - mean)) / (n - 1) / n)
        * coalesce((SELECT t95 FROM student WHERE df = n - 1), 1.959963984540054 + 2.372271 / (n - 1)), 0.0) AS ci95
    FROM mean JOIN value ON value.scenario_id = mean.scenario_id GROUP BY mean.scenario_id;
