-- The points of plots/over: value of the key as a number, mean, half-width, replicas, the value as text, the line it belongs to.
SELECT 'point', param.value, y.mean, y.ci95, y.n, replace(param.text, char(10), ' '), replace(label.label, char(10), ' ')
FROM y JOIN label ON label.scenario_id = y.scenario_id
JOIN param ON param.scenario_id = y.scenario_id AND param.key IN (SELECT key FROM asked)
ORDER BY label.label, param.value, param.text, y.scenario_id;
