-- Shares of the chip-time of each scenario, means over its runs, by bucket: scenario, bucket, share, what tells it apart.
CREATE TEMP TABLE total AS
    SELECT run.id AS run_id, run.scenario_id, sum(chip_seconds) AS chip_seconds FROM run JOIN bucket ON bucket.run_id = run.id
    WHERE status = 'done' AND scenario_id IN (SELECT id FROM chosen) GROUP BY run.id;
SELECT 'share', label.scenario_id, bucket.name, sum(bucket.chip_seconds / total.chip_seconds)
        / (SELECT count(*) FROM total AS t WHERE t.scenario_id = label.scenario_id),
    replace(iif(label.label = '', scenario.name, label.label), char(10), ' ')
FROM total JOIN bucket ON bucket.run_id = total.run_id JOIN label ON label.scenario_id = total.scenario_id
JOIN scenario ON scenario.id = label.scenario_id
WHERE total.chip_seconds > 0 GROUP BY label.scenario_id, bucket.name ORDER BY label.scenario_id;
