-- The cells of plots/heat: their place from the left and from below, mean, half-width, the value of each key as text.
SELECT 'cell', dense_rank() OVER (ORDER BY r.value, r.text), dense_rank() OVER (ORDER BY u.value, u.text), z.mean, z.ci95,
    replace(r.text, char(10), ' '), replace(u.text, char(10), ' ')
FROM z JOIN param AS r ON r.scenario_id = z.scenario_id AND r.key = @right@
JOIN param AS u ON u.scenario_id = z.scenario_id AND u.key = @up@ ORDER BY z.scenario_id;
