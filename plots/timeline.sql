-- One run for plots/timeline: a row about it, then its transitions. Numbers come before names that strangers chose.
CREATE TEMP TABLE picked AS
    SELECT run.id FROM run WHERE transitions_logged = 1 AND replica IN (SELECT replica FROM asked) ORDER BY run.id DESC LIMIT 1;
SELECT 'run', run.replica, run.seed,
       1e9 * (run.duration_s + coalesce((SELECT value FROM param WHERE scenario_id = scenario.id AND key = 'warmup'), 0)),
       scenario.learners, scenario.chips,
       1e9 * coalesce((SELECT value FROM param WHERE scenario_id = scenario.id AND key = 'learners.step_time'), 0),
       coalesce((SELECT value FROM param WHERE scenario_id = scenario.id AND key = 'fleet.chips_per_slice'), scenario.chips),
       replace(replace(scenario.method, char(10), ' '), char(13), ' '),
       replace(replace(scenario.name, char(10), ' '), char(13), ' ')
FROM run JOIN scenario ON scenario.id = run.scenario_id WHERE run.id IN picked;
SELECT entity, id, t_ns, to_state FROM transition WHERE run_id IN picked ORDER BY rowid;
