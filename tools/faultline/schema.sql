-- tools/faultline/schema.sql -- the results database, schema version 5.
-- One row of `run` per finished replica. Times are integers of nanoseconds or seconds as REAL and named with their unit;
-- shares are fractions from 0 to 1. `PRAGMA user_version` is the version of this schema.
CREATE TABLE scenario ( -- what was simulated: a scenario file with its settings applied
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    method TEXT NOT NULL,
    chips INTEGER NOT NULL, -- fleet.chips
    learners INTEGER NOT NULL, -- learners.count
    hash TEXT NOT NULL, -- of the text and of the version of the model
    text TEXT NOT NULL, -- canonical YAML without the seed; `faultline run` reads it back
    question TEXT, -- the comment at the head of the file that it was first stored from; NULL when there was none
    UNIQUE (hash, text)
) STRICT;
CREATE TABLE param ( -- every effective key of a scenario but its seed, which is in `run`
    scenario_id INTEGER NOT NULL REFERENCES scenario(id),
    key TEXT NOT NULL,
    text TEXT NOT NULL, -- as written canonically
    value REAL, -- in base units (counts, seconds, bit/s, fractions); NULL where it is no number
    source TEXT NOT NULL, -- user: said by the file or a setting; else where the default comes from: paper, fitted, assumed; method, tensors, every: from other keys; unknown: from a file of an older version
    PRIMARY KEY (scenario_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE run ( -- one replica
    id INTEGER PRIMARY KEY,
    scenario_id INTEGER NOT NULL REFERENCES scenario(id),
    replica INTEGER NOT NULL, -- 0, 1, ...
    seed INTEGER NOT NULL, -- of the scenario: the replicas of one command share it
    status TEXT NOT NULL CHECK (status IN ('done', 'no_progress', 'stalled', 'timeout')), -- no_progress: gave up, the metrics mean nothing; stalled: the work of until was not done within its limit; timeout: stopped by --timeout, without metrics and rows elsewhere: a rerun computes it again
    no_progress_at_ns INTEGER, -- simulated time at which it was given up; NULL but for no_progress and timeout
    duration_s REAL NOT NULL, -- simulated time the metrics cover, without the warm-up
    -- METRICS
    transitions_logged INTEGER NOT NULL, -- 1 when `transition` holds this run
    rounds_logged INTEGER NOT NULL, -- 1 when `round` holds this run
    started_at TEXT NOT NULL, -- wall clock, UTC
    wall_s REAL NOT NULL, -- what the replica took to simulate
    version TEXT NOT NULL, -- of faultline
    fma INTEGER NOT NULL, -- 1 when the CPU has fused multiply-add, which the C library uses: last bits may differ from 0
    complete INTEGER NOT NULL, -- 0: from a file of an older version, without the metrics that are NULL: a rerun computes it again
    UNIQUE (scenario_id, replica, seed)
) STRICT;
CREATE TABLE bucket ( -- where the chip-time of a run went
    run_id INTEGER NOT NULL REFERENCES run(id),
    learner INTEGER NOT NULL, -- 0, 1, ...; -1: spares and standby, which belong to no learner
    name TEXT NOT NULL, -- useful, lost, ...
    chip_seconds REAL NOT NULL,
    PRIMARY KEY (run_id, learner, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE learner (
    run_id INTEGER NOT NULL REFERENCES run(id),
    learner INTEGER NOT NULL,
    chips INTEGER NOT NULL,
    steps INTEGER NOT NULL, -- completed
    tokens REAL NOT NULL, -- of completed steps
    stepping_s REAL NOT NULL, -- time in which it was executing a step
    interruptions INTEGER NOT NULL,
    restoring_chip_s REAL, -- of the bucket restart: reading a checkpoint; NULL in what comes from a file of an older version
    PRIMARY KEY (run_id, learner)
) STRICT, WITHOUT ROWID;
CREATE TABLE transition ( -- with --log transitions; in the order of rowid, which is the order of events within a run
    run_id INTEGER NOT NULL REFERENCES run(id),
    t_ns INTEGER NOT NULL,
    entity TEXT NOT NULL, -- slice, learner, syncer; unit: the hardware of a slice, where crews or spares are limited; pace: of a slice; link: of a learner
    id INTEGER NOT NULL, -- number of the entity
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    cause TEXT NOT NULL
) STRICT;
CREATE INDEX transition_run ON transition(run_id);
CREATE TABLE round ( -- with --log rounds: what the syncer closed
    run_id INTEGER NOT NULL REFERENCES run(id),
    round INTEGER NOT NULL,
    restarts INTEGER NOT NULL, -- of everything before it closed; a round counts when every round with more has a larger number
    opened_ns INTEGER NOT NULL,
    quorum_ns INTEGER NOT NULL,
    closed_ns INTEGER NOT NULL,
    fragment INTEGER, -- NULL when none was due
    participants INTEGER NOT NULL, -- learners counted
    weight REAL NOT NULL, -- sum of the merge weights, tokens x tokens / steps of each learner since it last received the fragment
    effective_learners REAL NOT NULL, -- (sum w)^2 / sum w^2; 0 when nothing weighed in
    tokens REAL NOT NULL, -- merged; 1/P of each for every fragment
    staleness_max INTEGER NOT NULL, -- rounds since a learner that was merged last received the fragment
    PRIMARY KEY (run_id, round, restarts) -- its columns come first: the integrity_check of SQLite 3.40 finds NULLs that are not there otherwise
) STRICT, WITHOUT ROWID;
CREATE TABLE published ( -- Tables 1a and 1b of arXiv 2604.21428v1
    table_name TEXT NOT NULL,
    method TEXT NOT NULL,
    learners INTEGER NOT NULL,
    chips INTEGER NOT NULL,
    metric TEXT NOT NULL,
    value REAL NOT NULL, -- fraction
    UNIQUE (table_name, method, learners, chips, metric)
) STRICT;
CREATE TABLE published_5 ( -- Table 5: goodput with mixed speeds
    quorum INTEGER NOT NULL,
    grace TEXT NOT NULL, -- on, off
    goodput REAL NOT NULL, -- fractions
    text_avg REAL NOT NULL, -- what the models scored, which is not simulated
    vision_avg REAL NOT NULL,
    PRIMARY KEY (quorum, grace)
) STRICT;
CREATE TABLE published_4 ( -- Table 4: training time with scavenged chips
    method TEXT NOT NULL,
    extra REAL NOT NULL, -- extra chips / base, for half of the FLOPs
    train_time_ratio REAL NOT NULL, -- to that without extra chips
    PRIMARY KEY (method, extra)
) STRICT;
CREATE TABLE published_13 ( -- Table 13: bandwidth for a model of 5 billion parameters
    step_time_s REAL NOT NULL,
    datacentres INTEGER NOT NULL,
    method TEXT NOT NULL, -- elastic-dp for the paper's data-parallel; decoupled-diloco has eight learners
    bits INTEGER NOT NULL,
    compute_utilisation REAL NOT NULL, -- fraction
    link_gbit_per_s REAL NOT NULL,
    PRIMARY KEY (step_time_s, datacentres, method, bits, compute_utilisation)
) STRICT;
CREATE TABLE metric ( -- the metrics among the columns of `run`
    position INTEGER PRIMARY KEY, -- their order
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('fraction', 'count', 'real')), -- fraction: 0 to 1
    meaning TEXT NOT NULL
) STRICT;
CREATE TABLE student ( -- 97.5 % quantiles of Student's t; beyond the last row the views use the expansion around the normal
    df INTEGER PRIMARY KEY,
    t95 REAL NOT NULL
) STRICT;
CREATE VIEW protocol_summary AS -- one row per run: how the rounds went; NULL where the method has no syncer
SELECT run.id AS run_id, scenario.name, scenario.method, scenario.learners, scenario.chips, run.replica, run.seed,
    run.tokens_merged / nullif(run.tokens, 0) AS share_of_tokens_merged,
    run.rounds * param.value / run.duration_s AS rounds_per_step_time, run.participants, run.effective_learners,
    (SELECT sum(chip_seconds) FROM bucket WHERE run_id = run.id AND bucket.name = 'blocked')
        / (scenario.chips * run.duration_s) AS share_blocked, run.staleness, run.staleness_max
FROM run JOIN scenario ON scenario.id = run.scenario_id
JOIN param ON param.scenario_id = scenario.id AND param.key = 'learners.step_time'
WHERE run.rounds > 0;
CREATE VIEW goodput_summary AS -- one row per scenario with finished runs; *_ci95 is the half-width of the 95 % interval
WITH mean AS (
    SELECT scenario_id, count(*) AS n, max(id) AS last_run_id, avg(goodput) AS goodput, avg(uptime) AS uptime
    FROM run WHERE status = 'done' GROUP BY scenario_id
), spread AS (
    SELECT scenario_id,
        sqrt(sum((run.goodput - mean.goodput) * (run.goodput - mean.goodput)) / (mean.n - 1)) AS goodput_sd,
        sqrt(sum((run.uptime - mean.uptime) * (run.uptime - mean.uptime)) / (mean.n - 1)) AS uptime_sd,
        coalesce((SELECT t95 FROM student WHERE df = mean.n - 1), 1.959963984540054 + 2.372271 / (mean.n - 1))
            / sqrt(mean.n) AS widen
    FROM run JOIN mean USING (scenario_id) WHERE status = 'done' GROUP BY scenario_id
)
SELECT scenario.id AS scenario_id, scenario.name, scenario.method, scenario.learners, scenario.chips, mean.n,
    mean.goodput, spread.goodput_sd, spread.goodput_sd * spread.widen AS goodput_ci95,
    mean.uptime, spread.uptime_sd, spread.uptime_sd * spread.widen AS uptime_ci95, mean.last_run_id
FROM scenario JOIN mean ON mean.scenario_id = scenario.id JOIN spread ON spread.scenario_id = scenario.id;
CREATE VIEW table_1a AS -- goodput of scenarios called table-1; where several fit a cell, the one with the newest run, and `scenarios` counts them
WITH ranked AS (
    SELECT *, count(*) OVER cell AS scenarios, row_number() OVER (cell ORDER BY last_run_id DESC) AS rank
    FROM goodput_summary WHERE name = 'table-1' WINDOW cell AS (PARTITION BY method, learners, chips)
)
SELECT p.method, p.learners, p.chips, p.value AS published, r.goodput AS simulated, r.goodput_ci95 AS ci95,
    r.goodput - p.value AS difference, coalesce(r.n, 0) AS n, r.scenario_id, coalesce(r.scenarios, 0) AS scenarios
FROM published AS p
LEFT JOIN ranked AS r ON r.method = p.method AND r.learners = p.learners AND r.chips = p.chips AND r.rank = 1
WHERE p.table_name = '1a' ORDER BY p.rowid;
CREATE VIEW table_1b AS -- uptime; otherwise as table_1a
WITH ranked AS (
    SELECT *, count(*) OVER cell AS scenarios, row_number() OVER (cell ORDER BY last_run_id DESC) AS rank
    FROM goodput_summary WHERE name = 'table-1' WINDOW cell AS (PARTITION BY method, learners, chips)
)
SELECT p.method, p.learners, p.chips, p.value AS published, r.uptime AS simulated, r.uptime_ci95 AS ci95,
    r.uptime - p.value AS difference, coalesce(r.n, 0) AS n, r.scenario_id, coalesce(r.scenarios, 0) AS scenarios
FROM published AS p
LEFT JOIN ranked AS r ON r.method = p.method AND r.learners = p.learners AND r.chips = p.chips AND r.rank = 1
WHERE p.table_name = '1b' ORDER BY p.rowid;
CREATE VIEW paper_summary AS -- one row per scenario called table-4, table-5, ...: means of its runs, and the keys that tell the cells of these tables apart
WITH mean AS (
    SELECT scenario_id, avg(participants) AS participants, avg(rounds / duration_s) AS rounds_per_s,
        avg(tokens / duration_s) AS tokens_per_s, avg(compute_utilisation) AS compute_utilisation,
        avg(recoveries) AS recoveries, avg(reconfigurations) AS reconfigurations
    FROM run WHERE status = 'done' GROUP BY scenario_id
), wide AS (
    SELECT scenario_id,
        max(value) FILTER (WHERE key = 'learners.step_time') AS step_time_s,
        max(value) FILTER (WHERE key = 'learners.step_jitter') AS step_jitter,
        max(value) FILTER (WHERE key = 'fleet.classes.slow.speed') AS slow_speed,
        max(value) FILTER (WHERE key = 'fleet.classes.slow.share') AS slow_share,
        max(value) FILTER (WHERE key = 'syncer.quorum') AS quorum,
        max(param.text) FILTER (WHERE key = 'syncer.grace') AS grace,
        max(value) FILTER (WHERE key = 'syncer.overlap') AS overlap,
        1 - max(value) FILTER (WHERE key = 'failures.scavenged.calendar.lasts')
            / max(value) FILTER (WHERE key = 'failures.scavenged.calendar.every') AS scavenged_share,
        max(param.text) FILTER (WHERE key = 'failures.absent.learners') AS absent,
        max(value) FILTER (WHERE key = 'network.parameters') AS parameters,
        max(value) FILTER (WHERE key = 'network.bits') AS bits,
        max(value) FILTER (WHERE key = 'network.datacentres') AS datacentres,
        max(value) FILTER (WHERE key = 'network.link') / 1e9 AS link_gbit_per_s
    FROM param JOIN scenario ON scenario.id = param.scenario_id WHERE scenario.name LIKE 'table-%' GROUP BY scenario_id
)
SELECT s.scenario_id, s.name, s.method, s.learners, s.chips, s.n, s.goodput, s.goodput_ci95, s.last_run_id,
    mean.participants, mean.rounds_per_s * wide.step_time_s AS rounds_per_step_time, mean.tokens_per_s, mean.compute_utilisation,
    mean.recoveries, mean.reconfigurations, wide.step_time_s, wide.step_jitter, wide.slow_speed, wide.slow_share, wide.quorum, wide.grace, wide.overlap,
    wide.scavenged_share, wide.absent, wide.parameters, wide.bits, wide.datacentres, wide.link_gbit_per_s
FROM goodput_summary AS s JOIN mean USING (scenario_id) JOIN wide USING (scenario_id);
CREATE VIEW table_5 AS -- goodput of scenarios called table-5 with the paper's speeds; basis: what the simulated cell rests on
WITH wanted(quorum, grace, ours, overlap, basis) AS (VALUES
    (8, 'off', 'off', 0, 'assumed'), -- strict barriers
    (8, 'off', 'off', 1, 'assumed'),
    (8, 'off', 'off', 2, 'paper'), -- the overlap that the paper has elsewhere
    (1, 'off', 'off', 2, 'paper'),
    (1, 'on', 'adaptive', 2, 'paper')
), ranked AS (
    SELECT *, count(*) OVER cell AS scenarios, row_number() OVER (cell ORDER BY last_run_id DESC) AS rank
    FROM paper_summary
    WHERE name = 'table-5' AND method = 'decoupled-diloco' AND learners = 8 AND step_jitter = 0.1
        AND slow_speed = 0.8475 AND slow_share = 0.5
    WINDOW cell AS (PARTITION BY quorum, grace, overlap)
)
SELECT w.quorum, w.grace, w.overlap, w.basis, p.goodput AS published, r.goodput AS simulated, r.goodput_ci95 AS ci95,
    r.goodput - p.goodput AS difference, r.participants, r.rounds_per_step_time, coalesce(r.n, 0) AS n, r.scenario_id,
    coalesce(r.scenarios, 0) AS scenarios
FROM wanted AS w JOIN published_5 AS p ON p.quorum = w.quorum AND p.grace = w.grace
LEFT JOIN ranked AS r ON r.quorum = w.quorum AND r.grace = w.ours AND r.overlap = w.overlap AND r.rank = 1
ORDER BY w.quorum DESC, w.grace, w.overlap;
CREATE VIEW table_5_notes AS -- the lines below table 5
SELECT printf('K = 8 with the overlap of 2 that the paper has elsewhere: %+.1f points; with strict barriers (overlap 0, our assumption): %+.1f',
    100 * (SELECT difference FROM table_5 WHERE quorum = 8 AND overlap = 2),
    100 * (SELECT difference FROM table_5 WHERE quorum = 8 AND overlap = 0)) AS note
WHERE (SELECT count(simulated) FROM table_5 WHERE quorum = 8 AND overlap <> 1) = 2
UNION ALL
SELECT printf('missing: %d of %d rows have no runs', sum(simulated IS NULL), count(*)) FROM table_5;
CREATE VIEW table_13 AS -- the smallest link, of a grid of 24 per decade, with which scenarios called table-13 reach the utilisation; n: links tried
WITH point AS (
    SELECT * FROM paper_summary
    WHERE name = 'table-13' AND parameters = 5e9 AND step_jitter = 0
        AND (method = 'elastic-dp' OR (method = 'decoupled-diloco' AND learners = 8 AND quorum = 1 AND overlap = 2))
), cell AS (
    SELECT p.rowid AS number, p.*, count(r.scenario_id) AS n,
        min(r.link_gbit_per_s) FILTER (WHERE r.compute_utilisation >= p.compute_utilisation) AS reached,
        pow(10, 1 / 24.0) AS grid,
        CASE WHEN p.link_gbit_per_s < 1 THEN 0.005 WHEN p.link_gbit_per_s < 10 THEN 0.05 ELSE 0.5 END AS rounding
    FROM published_13 AS p
    LEFT JOIN point AS r ON r.method = p.method AND r.step_time_s = p.step_time_s AND r.datacentres = p.datacentres AND r.bits = p.bits
    GROUP BY p.rowid
), found AS ( -- missing where the next link below was not tried
    SELECT *, CASE WHEN EXISTS (
        SELECT 1 FROM point AS r
        WHERE r.method = cell.method AND r.step_time_s = cell.step_time_s AND r.datacentres = cell.datacentres AND r.bits = cell.bits
            AND r.link_gbit_per_s < cell.reached AND r.link_gbit_per_s > cell.reached / cell.grid / 1.001
    ) THEN reached END AS simulated
    FROM cell
)
SELECT step_time_s, datacentres, method, bits, compute_utilisation, iif(method = 'elastic-dp', 'derived', 'assumed') AS basis,
    link_gbit_per_s AS published, simulated, link_gbit_per_s / simulated AS ratio,
    CASE WHEN simulated IS NULL THEN NULL
        WHEN (link_gbit_per_s + rounding) * grid >= simulated AND (link_gbit_per_s - rounding) / grid <= simulated THEN 'yes'
        ELSE 'no' END AS within_one_step,
    n, 1 AS scenarios
FROM found ORDER BY number;
CREATE VIEW table_13_notes AS -- the lines below table 13
SELECT printf('within one step of the grid (a factor of %.2f), besides the rounding of what is published: %d of %d cells of %s',
    pow(10, 1 / 24.0), sum(within_one_step = 'yes'), count(simulated), method) AS note
FROM table_13 WHERE simulated IS NOT NULL GROUP BY method
UNION ALL
SELECT printf('not explained: %d of %d cells of %s at %d %%; published / simulated from %.2f to %.2f', sum(within_one_step = 'no'),
    count(simulated), method, 100 * compute_utilisation, min(ratio) FILTER (WHERE within_one_step = 'no'),
    max(ratio) FILTER (WHERE within_one_step = 'no'))
FROM table_13 GROUP BY method, compute_utilisation HAVING sum(within_one_step = 'no') > 0
UNION ALL
SELECT printf('link of data-parallel over that of decoupled at 90 %%, %d bits: %.0f published, %.0f simulated', d.bits,
    avg(p.published / d.published), avg(p.simulated / d.simulated))
FROM table_13 AS d JOIN table_13 AS p USING (step_time_s, datacentres, compute_utilisation)
WHERE d.method = 'decoupled-diloco' AND p.method = 'elastic-dp' AND compute_utilisation = 0.9
    AND p.simulated / d.simulated > 0
GROUP BY d.bits
UNION ALL -- steps that a fragment may take on the link, over the share of time computing; our model has 2 / u
SELECT printf('fitted, and no model of ours: a fragment of decoupled-diloco may take 1.5 + 4 (1 / u - 1) steps at utilisation u; %d of %d published links within %.0f %% of that',
    sum(abs(ln(off)) < 0.07), count(*), 7)
FROM (
    SELECT (1.5 + 4 * (1 / compute_utilisation - 1)) * link_gbit_per_s * step_time_s
        / (5.0 / 24 * bits * 2 * (datacentres - 1) / datacentres) AS off
    FROM published_13 WHERE method = 'decoupled-diloco'
)
UNION ALL
SELECT printf('missing: %d of %d cells have no runs', sum(simulated IS NULL), count(*)) FROM table_13;
CREATE VIEW table_4 AS -- training time relative to that of the base, by tokens per time of scenarios called table-4; elastic-dp is a closed form, see its notes
WITH form AS ( -- time = 1/2 + 1/2 / (1 + x) + a shape, least squares in a
    SELECT *, rowid AS number, 0.5 + 0.5 / (1 + extra) AS ideal, extra / (2 * (1 + extra) * (1 + extra)) AS shape FROM published_4
), fit AS (
    SELECT sum(shape * (train_time_ratio - ideal)) / sum(shape * shape) AS a FROM form WHERE method = 'elastic-dp'
), ranked AS (
    SELECT *, learners / 4.0 - 1 AS extra, count(*) OVER cell AS scenarios, row_number() OVER (cell ORDER BY last_run_id DESC) AS rank
    FROM paper_summary
    WHERE name = 'table-4' AND method = 'decoupled-diloco' -- there for a share 1 / (2 + x) of the time
        AND ((learners = 4 AND scavenged_share IS NULL) OR abs(scavenged_share - 4.0 / (4 + learners)) < 1e-4)
    WINDOW cell AS (PARTITION BY learners)
), simulated AS (
    SELECT r.*, base.tokens_per_s / r.tokens_per_s AS ratio
    FROM ranked AS r LEFT JOIN ranked AS base
        ON base.learners = 4 AND base.rank = 1 AND base.step_time_s = r.step_time_s AND base.chips * r.learners = r.chips * base.learners
    WHERE r.rank = 1
), cell AS (
    SELECT form.number, form.method, form.extra, iif(form.method = 'elastic-dp', 'fitted', 'derived') AS basis,
        form.train_time_ratio AS published, iif(form.method = 'elastic-dp', ideal + fit.a * shape, s.ratio) AS simulated,
        form.ideal, fit.a, coalesce(s.n, 0) AS n, s.scenario_id, coalesce(s.scenarios, 0) AS scenarios
    FROM form CROSS JOIN fit LEFT JOIN simulated AS s ON s.method = form.method AND s.extra = form.extra
)
SELECT method, extra, basis, published, simulated, simulated - published AS difference, ideal, n, scenario_id, scenarios, a
FROM cell ORDER BY number;
CREATE VIEW table_4_notes AS -- the lines below table 4
SELECT printf('decoupled-diloco, simulated: within %.3f of what is published in %d cells', max(abs(difference)), count(*)) AS note
FROM table_4 WHERE method = 'decoupled-diloco' AND extra > 0 HAVING count(difference) = count(*)
UNION ALL
SELECT printf('elastic-dp, not simulated: 1/2 + (1 + a x / (1 + x)) / (2 (1 + x)), steps slower by a times the share of scavenged chips; a = %.2f fitted to these cells, RMS %.3f, worst %+.3f',
    max(a), sqrt(avg(difference * difference)), (SELECT difference FROM table_4 WHERE method = 'elastic-dp' ORDER BY abs(difference) DESC))
FROM table_4 WHERE method = 'elastic-dp' AND extra > 0
UNION ALL
SELECT printf('missing: %d of %d cells of decoupled-diloco have no runs', sum(n = 0), count(*)) FROM table_4 WHERE method <> 'elastic-dp';
CREATE VIEW table_12 AS -- steps lost per upscale by those who were there, over the time of one copy of the model, by scenarios called table-12; simulated: share of what elastic-dp loses
WITH wanted(copy_steps, published) AS (VALUES -- the caption of figure 12: nothing until 6, as much as data-parallel at 24
    (0.1, 0.0), (2, 0.0), (4, 0.0), (6, 0.0), (8, NULL), (9, NULL), (10, NULL), (12, NULL), (16, NULL), (24, 1.0)
), point AS (
    SELECT *, round(parameters * bits / (link_gbit_per_s * 1e9) / step_time_s, 6) AS copy_steps,
        iif(method = 'elastic-dp', 'upscale', 'blocked') AS waiting, iif(method = 'elastic-dp', 1, 7) AS present
    FROM paper_summary
    WHERE name = 'table-12' AND ((method = 'elastic-dp' AND absent = '[0]' AND reconfigurations > 0)
        OR (method = 'decoupled-diloco' AND learners = 8 AND absent = '[7]' AND quorum = 1 AND overlap = 2 AND recoveries > 0))
), lost AS (
    SELECT point.*, sum(bucket.chip_seconds) / sum(learner.chips) / step_time_s / iif(method = 'elastic-dp', point.reconfigurations, point.recoveries) AS steps,
        row_number() OVER (PARTITION BY method, copy_steps ORDER BY last_run_id DESC) AS rank,
        count(*) OVER (PARTITION BY method, copy_steps) AS scenarios
    FROM point JOIN run ON run.scenario_id = point.scenario_id AND run.status = 'done'
    JOIN learner ON learner.run_id = run.id AND learner.learner < point.present
    JOIN bucket ON bucket.run_id = run.id AND bucket.learner = learner.learner AND bucket.name = point.waiting
    GROUP BY point.scenario_id
)
SELECT w.copy_steps, 'derived' AS basis, w.published, d.steps / e.steps AS simulated, d.steps / e.steps - w.published AS difference,
    d.steps AS lost_decoupled, e.steps AS lost_elastic_dp, iif(e.n IS NULL, 0, coalesce(d.n, 0)) AS n,
    max(coalesce(d.scenarios, 0), coalesce(e.scenarios, 0)) AS scenarios
FROM wanted AS w
LEFT JOIN lost AS d ON d.copy_steps = w.copy_steps AND d.method = 'decoupled-diloco' AND d.rank = 1
LEFT JOIN lost AS e ON e.copy_steps = w.copy_steps AND e.method = 'elastic-dp' AND e.rank = 1
ORDER BY w.copy_steps;
CREATE VIEW table_12_notes AS -- the lines below figure 12
SELECT printf('decoupled learners lose nothing until a copy of the model takes %g steps; published: 6, while 3 copies in H = 24 steps make 8', max(copy_steps)) AS note
FROM table_12 WHERE lost_decoupled = 0 HAVING count(*) > 0
UNION ALL
SELECT printf('at 24 steps they lose %.0f %% of what data-parallel loses; published: as much', 100 * simulated) FROM table_12 WHERE copy_steps = 24 AND n > 0
UNION ALL
SELECT printf('missing: %d of %d rows have no runs', sum(n = 0), count(*)) FROM table_12;
CREATE VIEW ml_goodput AS -- time of the fleet of each run under the names of Google's ml-goodput-measurement, whose shares are of the job's time: seconds are chip-seconds / fleet.chips, spares left out
WITH part AS (
    SELECT run_id, CASE name
            WHEN 'useful' THEN 'PRODUCTIVE_STEP'
            WHEN 'lost' THEN 'WASTED_PROGRESS_FROM_DISRUPTION'
            WHEN 'checkpoint' THEN 'UNPRODUCTIVE_CHECKPOINT_SAVE_TIME'
            WHEN 'recovering' THEN 'UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME' -- the state comes from a peer
            WHEN 'restart' THEN 'PROGRAM_STARTUP' -- less what follows below
            WHEN 'downscale' THEN 'PROGRAM_STARTUP' -- the program is set up anew, for the slices there are
            WHEN 'upscale' THEN 'PROGRAM_STARTUP'
            WHEN 'away' THEN 'INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION'
            ELSE 'OTHER' END AS name, chip_seconds
    FROM bucket WHERE learner >= 0
    UNION ALL SELECT run_id, 'PROGRAM_STARTUP', -restoring_chip_s FROM learner
    UNION ALL SELECT run_id, 'UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME', restoring_chip_s FROM learner
)
SELECT part.run_id, scenario.name AS scenario, run.replica, run.seed, part.name, sum(chip_seconds) / scenario.chips AS seconds,
    sum(chip_seconds) / (scenario.chips * run.duration_s) AS share
FROM part JOIN run ON run.id = part.run_id JOIN scenario ON scenario.id = run.scenario_id
WHERE run.duration_s > 0 AND run.complete GROUP BY part.run_id, part.name;
