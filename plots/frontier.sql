-- The points of plots/frontier: mean and half-width of both, what tells the scenario apart.
SELECT 'point', x.mean, x.ci95, y.mean, y.ci95, replace(iif(label.label = '', scenario.name, label.label), char(10), ' ')
FROM x JOIN y ON y.scenario_id = x.scenario_id JOIN label ON label.scenario_id = x.scenario_id JOIN scenario ON scenario.id = x.scenario_id
ORDER BY x.mean, y.mean, x.scenario_id;
