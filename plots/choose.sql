-- What all pictures begin with, after wanted(key, text) and asked(key) (plots/picture.sh).
CREATE TEMP TABLE newest AS -- of scenarios that say the same, as those of two versions of the models do, the one with the newest run
    SELECT id FROM (
        SELECT scenario.id, row_number() OVER (PARTITION BY text ORDER BY max(run.id) DESC) AS rank
        FROM scenario JOIN run ON run.scenario_id = scenario.id WHERE run.status = 'done' GROUP BY scenario.id)
    WHERE rank = 1;
CREATE TEMP TABLE chosen AS -- scenarios with finished runs that have every wanted value
    SELECT id FROM scenario
    WHERE id IN (SELECT id FROM newest)
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
