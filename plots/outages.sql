-- The runs of plots/outages: a row about each, then its transitions in their order.
CREATE TEMP TABLE picked AS SELECT run.id, run.scenario_id FROM run
    WHERE transitions_logged = 1 AND status = 'done' AND scenario_id IN (SELECT id FROM chosen);
SELECT kind, id, entity, t_ns, state, name FROM (
    SELECT picked.id AS run, -1 AS number, 'run' AS kind, scenario.learners AS id, '' AS entity,
        CAST(1e9 * (run.duration_s + coalesce((SELECT value FROM param WHERE scenario_id = scenario.id AND key = 'warmup'), 0)) AS INTEGER) AS t_ns,
        '' AS state, replace(scenario.name, char(10), ' ') AS name
    FROM picked JOIN run ON run.id = picked.id JOIN scenario ON scenario.id = picked.scenario_id
    UNION ALL
    SELECT run_id, transition.rowid, 'at', transition.id, entity, t_ns, to_state, '' FROM transition
    WHERE run_id IN (SELECT id FROM picked) AND entity IN ('slice', 'learner')
) ORDER BY run, number;
