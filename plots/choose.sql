-- What all pictures begin with, after wanted(key, text) and asked(key) (plots/picture.sh).
CREATE TEMP TABLE chosen AS -- scenarios with finished runs that have every wanted value
    SELECT id FROM scenario
    WHERE EXISTS (SELECT 1 FROM run WHERE scenario_id = scenario.id AND status = 'done')
        AND NOT EXISTS (SELECT 1 FROM wanted WHERE NOT EXISTS (
            SELECT 1 FROM param WHERE scenario_id = scenario.id AND param.key = wanted.key AND param.text = wanted.text));
CREATE TEMP TABLE varied AS -- keys that tell them apart and of which somebody chose a value
    SELECT key FROM param WHERE scenario_id IN (SELECT id FROM chosen) AND key <> 'name'
        AND key NOT IN (SELECT key FROM asked)
    GROUP BY key HAVING max(source = 'user') AND (count(DISTINCT text) > 1 OR count(*) < (SELECT count(*) FROM chosen))
    ORDER BY key;
CREATE TEMP TABLE label AS -- what tells a scenario apart besides the keys asked for
    SELECT chosen.id AS scenario_id, coalesce((
        SELECT group_concat(key || ' = ' || text, ', ') FROM (
            SELECT key, text FROM param WHERE scenario_id = chosen.id AND key IN (SELECT key FROM varied) ORDER BY key)
        ), '') AS label
    FROM chosen;
