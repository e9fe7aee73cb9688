PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE scenario ( -- what was simulated: a scenario file with its settings applied
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    method TEXT NOT NULL,
    chips INTEGER NOT NULL, -- fleet.chips
    learners INTEGER NOT NULL, -- learners.count
    hash TEXT NOT NULL, -- of the text and of the version of the model
    text TEXT NOT NULL, -- canonical YAML without the seed; `faultline run` reads it back
    UNIQUE (hash, text)
) STRICT;
INSERT INTO scenario VALUES(1,'tiny','decoupled-diloco',64,2,'e4000a244d4ba11e',replace('name: tiny\nmethod: decoupled-diloco\nduration: 2min\nwarmup: 0s\nfleet:\n  chips: 64\n  chips_per_slice: 8\nfailures:\n  chip:\n    kind: chip\n    mtbi: 4h\n    return_after: exponential(mean=2min)\nelastic:\n  downscale: 12s\n  upscale: 16s\n  restart: 84s\n  noticed: step_end\n  overlap: next_step\n  both: sum\n  upscale_every: 170s\n  min_share: 0%\nlearners:\n  count: 2\n  step_time: 7.5s\n  tokens_per_step: 4M\n  speed_spread: 0%\n  step_jitter: 0%\n  jitter_law: normal\nsyncer:\n  quorum: 1\n  grace: adaptive\n  grace_safety: 90%\n  fragments: 24\n  sync_every: 24\n  overlap: 2\n  recover_after: 24\n','\n',char(10)));
CREATE TABLE param ( -- every effective key of a scenario but its seed, which is in `run`
    scenario_id INTEGER NOT NULL REFERENCES scenario(id),
    key TEXT NOT NULL,
    text TEXT NOT NULL, -- as written canonically
    value REAL, -- in base units (counts, seconds, bit/s, fractions); NULL where it is no number
    PRIMARY KEY (scenario_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO param VALUES(1,'duration','2min',120.0);
INSERT INTO param VALUES(1,'elastic.both','sum',NULL);
INSERT INTO param VALUES(1,'elastic.downscale','12s',12.0);
INSERT INTO param VALUES(1,'elastic.min_share','0%',0.0);
INSERT INTO param VALUES(1,'elastic.noticed','step_end',NULL);
INSERT INTO param VALUES(1,'elastic.overlap','next_step',NULL);
INSERT INTO param VALUES(1,'elastic.restart','84s',84.0);
INSERT INTO param VALUES(1,'elastic.upscale','16s',16.0);
INSERT INTO param VALUES(1,'elastic.upscale_every','170s',170.0);
INSERT INTO param VALUES(1,'failures.chip.kind','chip',NULL);
INSERT INTO param VALUES(1,'failures.chip.mtbi','4h',14400.0);
INSERT INTO param VALUES(1,'failures.chip.return_after','exponential(mean=2min)',NULL);
INSERT INTO param VALUES(1,'fleet.chips','64',64.0);
INSERT INTO param VALUES(1,'fleet.chips_per_slice','8',8.0);
INSERT INTO param VALUES(1,'learners.count','2',2.0);
INSERT INTO param VALUES(1,'learners.jitter_law','normal',NULL);
INSERT INTO param VALUES(1,'learners.speed_spread','0%',0.0);
INSERT INTO param VALUES(1,'learners.step_jitter','0%',0.0);
INSERT INTO param VALUES(1,'learners.step_time','7.5s',7.5);
INSERT INTO param VALUES(1,'learners.tokens_per_step','4M',4000000.0);
INSERT INTO param VALUES(1,'method','decoupled-diloco',NULL);
INSERT INTO param VALUES(1,'name','tiny',NULL);
INSERT INTO param VALUES(1,'syncer.fragments','24',24.0);
INSERT INTO param VALUES(1,'syncer.grace','adaptive',NULL);
INSERT INTO param VALUES(1,'syncer.grace_safety','90%',0.9000000000000000222);
INSERT INTO param VALUES(1,'syncer.overlap','2',2.0);
INSERT INTO param VALUES(1,'syncer.quorum','1',1.0);
INSERT INTO param VALUES(1,'syncer.recover_after','24',24.0);
INSERT INTO param VALUES(1,'syncer.sync_every','24',24.0);
INSERT INTO param VALUES(1,'warmup','0s',0.0);
CREATE TABLE run ( -- one replica
    id INTEGER PRIMARY KEY,
    scenario_id INTEGER NOT NULL REFERENCES scenario(id),
    replica INTEGER NOT NULL, -- 0, 1, ...
    seed INTEGER NOT NULL, -- of the scenario: the replicas of one command share it
    status TEXT NOT NULL CHECK (status IN ('done', 'no_progress')), -- no_progress: gave up, the metrics mean nothing
    no_progress_at_ns INTEGER, -- simulated time; NULL when done
    duration_s REAL NOT NULL, -- simulated time the metrics cover, without the warm-up
    "goodput" REAL, -- share of the allocated chip-time (fleet.chips x duration) spent in steps that counted
    "uptime" REAL, -- share of the time in which at least one learner was executing a step
    "failures" INTEGER, -- chips in service that failed
    "interruptions" INTEGER, -- failures that stopped a learner: downscales, restarts and falls below min_share
    "reconfigurations" INTEGER, -- downscales and upscales started; one for both when elastic.both is max
    "repairs" INTEGER, -- slices that came back
    "steps" INTEGER, -- steps completed, summed over learners
    "tokens" REAL, -- tokens processed by completed steps
    "quorum_uptime" REAL, -- share of the time in which at least syncer.quorum learners were executing a step
    "syncer_progress" REAL, -- rounds closed x learners.step_time / duration: above 1 when rounds are faster than steps; 0 without a syncer
    "rounds" INTEGER, -- rounds the syncer closed
    "participants" REAL, -- mean number of learners counted in a round
    "quorum_wait_s" REAL, -- mean time from the opening of a round to its quorum
    "grace_s" REAL, -- mean time from the quorum of a round to its closing
    "effective_learners" REAL, -- mean over rounds of (sum w)^2 / sum w^2 of the merge weights
    "staleness" REAL, -- mean rounds since a learner that is merged last received the fragment
    "staleness_max" REAL, -- the largest of these
    "tokens_merged" REAL, -- tokens that rounds merged, 1/P of each for every fragment
    "recoveries" INTEGER, -- copies of the state from a peer after a long outage
    "compute_utilisation" REAL, -- share of the chip-time spent stepping or blocked that was arithmetic
    transitions_logged INTEGER NOT NULL, -- 1 when `transition` holds this run
    rounds_logged INTEGER NOT NULL, -- 1 when `round` holds this run
    started_at TEXT NOT NULL, -- wall clock, UTC
    wall_s REAL NOT NULL, -- what the replica took to simulate
    version TEXT NOT NULL, -- of faultline
    fma INTEGER NOT NULL, -- 1 when the CPU has fused multiply-add, which the C library uses: last bits may differ from 0
    UNIQUE (scenario_id, replica, seed)
) STRICT;
INSERT INTO run VALUES(1,1,0,1,'done',NULL,120.0,0.9468750000000000222,1.0,1,1,1,0,30,120000000.0,1.0,0.9375,15,1.9333333333333333481,7.5,0.5,1.9333333333333333481,6.7586206896551725975,14.0,37666666.666666664183,0,0.99009900990099009021,1,1,'2026-11-30T09:00:06Z',5.8127000000000000985e-05,'0.1.0',1);
INSERT INTO run VALUES(2,1,1,1,'done',NULL,120.0,1.0,1.0,0,0,0,0,32,128000000.0,1.0,1.0,16,2.0,7.5,0.0,2.0,7.5,15.0,45333333.333333335818,0,1.0,1,1,'2026-11-30T09:00:06Z',8.0919999999999997737e-06,'0.1.0',1);
CREATE TABLE bucket ( -- where the chip-time of a run went
    run_id INTEGER NOT NULL REFERENCES run(id),
    learner INTEGER NOT NULL, -- 0, 1, ...
    name TEXT NOT NULL, -- useful, lost, ...
    chip_seconds REAL NOT NULL,
    PRIMARY KEY (run_id, learner, name)
) STRICT, WITHOUT ROWID;
INSERT INTO bucket VALUES(1,0,'away',120.0);
INSERT INTO bucket VALUES(1,0,'blocked',0.0);
INSERT INTO bucket VALUES(1,0,'checkpoint',0.0);
INSERT INTO bucket VALUES(1,0,'downscale',288.0);
INSERT INTO bucket VALUES(1,0,'lost',0.0);
INSERT INTO bucket VALUES(1,0,'recovering',0.0);
INSERT INTO bucket VALUES(1,0,'restart',0.0);
INSERT INTO bucket VALUES(1,0,'standby',0.0);
INSERT INTO bucket VALUES(1,0,'upscale',0.0);
INSERT INTO bucket VALUES(1,0,'useful',3432.0);
INSERT INTO bucket VALUES(1,1,'away',0.0);
INSERT INTO bucket VALUES(1,1,'blocked',0.0);
INSERT INTO bucket VALUES(1,1,'checkpoint',0.0);
INSERT INTO bucket VALUES(1,1,'downscale',0.0);
INSERT INTO bucket VALUES(1,1,'lost',0.0);
INSERT INTO bucket VALUES(1,1,'recovering',0.0);
INSERT INTO bucket VALUES(1,1,'restart',0.0);
INSERT INTO bucket VALUES(1,1,'standby',0.0);
INSERT INTO bucket VALUES(1,1,'upscale',0.0);
INSERT INTO bucket VALUES(1,1,'useful',3840.0);
INSERT INTO bucket VALUES(2,0,'away',0.0);
INSERT INTO bucket VALUES(2,0,'blocked',0.0);
INSERT INTO bucket VALUES(2,0,'checkpoint',0.0);
INSERT INTO bucket VALUES(2,0,'downscale',0.0);
INSERT INTO bucket VALUES(2,0,'lost',0.0);
INSERT INTO bucket VALUES(2,0,'recovering',0.0);
INSERT INTO bucket VALUES(2,0,'restart',0.0);
INSERT INTO bucket VALUES(2,0,'standby',0.0);
INSERT INTO bucket VALUES(2,0,'upscale',0.0);
INSERT INTO bucket VALUES(2,0,'useful',3840.0);
INSERT INTO bucket VALUES(2,1,'away',0.0);
INSERT INTO bucket VALUES(2,1,'blocked',0.0);
INSERT INTO bucket VALUES(2,1,'checkpoint',0.0);
INSERT INTO bucket VALUES(2,1,'downscale',0.0);
INSERT INTO bucket VALUES(2,1,'lost',0.0);
INSERT INTO bucket VALUES(2,1,'recovering',0.0);
INSERT INTO bucket VALUES(2,1,'restart',0.0);
INSERT INTO bucket VALUES(2,1,'standby',0.0);
INSERT INTO bucket VALUES(2,1,'upscale',0.0);
INSERT INTO bucket VALUES(2,1,'useful',3840.0);
CREATE TABLE learner (
    run_id INTEGER NOT NULL REFERENCES run(id),
    learner INTEGER NOT NULL,
    chips INTEGER NOT NULL,
    steps INTEGER NOT NULL, -- completed
    tokens REAL NOT NULL, -- of completed steps
    stepping_s REAL NOT NULL, -- time in which it was executing a step
    interruptions INTEGER NOT NULL,
    PRIMARY KEY (run_id, learner)
) STRICT, WITHOUT ROWID;
INSERT INTO learner VALUES(1,0,32,14,56000000.0,108.0,1);
INSERT INTO learner VALUES(1,1,32,16,64000000.0,120.0,0);
INSERT INTO learner VALUES(2,0,32,16,64000000.0,120.0,0);
INSERT INTO learner VALUES(2,1,32,16,64000000.0,120.0,0);
CREATE TABLE transition ( -- with --log transitions; in the order of rowid, which is the order of events within a run
    run_id INTEGER NOT NULL REFERENCES run(id),
    t_ns INTEGER NOT NULL,
    entity TEXT NOT NULL, -- slice, learner, syncer
    id INTEGER NOT NULL, -- number of the entity
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    cause TEXT NOT NULL
) STRICT;
INSERT INTO transition VALUES(1,7500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,7500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,15000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,15000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,22500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,22500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,30000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,30000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,37500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,37500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,45000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,45000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,52500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,52500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,60000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,60000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,67500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,67500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,75000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,75000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,82500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,82500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,90000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,90000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,97500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,97500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,102923221899,'slice',2,'active','failed','chip failed');
INSERT INTO transition VALUES(1,105000000000,'slice',2,'failed','away','learner lets go');
INSERT INTO transition VALUES(1,105000000000,'learner',0,'stepping','downscaling','slices lost');
INSERT INTO transition VALUES(1,105000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,105000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,112500000000,'syncer',0,'collecting','grace','quorum reached');
INSERT INTO transition VALUES(1,117000000000,'learner',0,'downscaling','stepping','ready to step');
INSERT INTO transition VALUES(1,120000000000,'syncer',0,'grace','merging','nobody left to wait for');
INSERT INTO transition VALUES(1,120000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(1,120000000000,'syncer',0,'collecting','grace','quorum reached');
INSERT INTO transition VALUES(2,7500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,7500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,15000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,15000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,22500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,22500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,30000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,30000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,37500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,37500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,45000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,45000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,52500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,52500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,60000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,60000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,67500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,67500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,75000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,75000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,82500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,82500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,90000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,90000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,97500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,97500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,105000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,105000000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,112500000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,112500000000,'syncer',0,'merging','collecting','room for a round');
INSERT INTO transition VALUES(2,120000000000,'syncer',0,'collecting','merging','nobody left to wait for');
INSERT INTO transition VALUES(2,120000000000,'syncer',0,'merging','collecting','room for a round');
CREATE TABLE round ( -- with --log rounds: what the syncer closed
    run_id INTEGER NOT NULL REFERENCES run(id),
    round INTEGER NOT NULL,
    opened_ns INTEGER NOT NULL,
    quorum_ns INTEGER NOT NULL,
    closed_ns INTEGER NOT NULL,
    fragment INTEGER, -- NULL when none was due
    participants INTEGER NOT NULL, -- learners counted
    weight REAL NOT NULL, -- sum of the merge weights, tokens x tokens / steps of each learner since it last received the fragment
    effective_learners REAL NOT NULL, -- (sum w)^2 / sum w^2; 0 when nothing weighed in
    tokens REAL NOT NULL, -- merged; 1/P of each for every fragment
    staleness_max INTEGER NOT NULL, -- rounds since a learner that was merged last received the fragment
    PRIMARY KEY (run_id, round)
) STRICT, WITHOUT ROWID;
INSERT INTO round VALUES(1,0,0,7500000000,7500000000,0,2,32000000000000.0,2.0,333333.33333333331394,0);
INSERT INTO round VALUES(1,1,7500000000,15000000000,15000000000,1,2,64000000000000.0,2.0,666666.66666666662788,1);
INSERT INTO round VALUES(1,2,15000000000,22500000000,22500000000,2,2,96000000000000.0,2.0,1000000.0,2);
INSERT INTO round VALUES(1,3,22500000000,30000000000,30000000000,3,2,128000000000000.0,2.0,1333333.3333333332557,3);
INSERT INTO round VALUES(1,4,30000000000,37500000000,37500000000,4,2,160000000000000.0,2.0,1666666.6666666667442,4);
INSERT INTO round VALUES(1,5,37500000000,45000000000,45000000000,5,2,192000000000000.0,2.0,2000000.0,5);
INSERT INTO round VALUES(1,6,45000000000,52500000000,52500000000,6,2,224000000000000.0,2.0,2333333.3333333334885,6);
INSERT INTO round VALUES(1,7,52500000000,60000000000,60000000000,7,2,256000000000000.0,2.0,2666666.6666666665114,7);
INSERT INTO round VALUES(1,8,60000000000,67500000000,67500000000,8,2,288000000000000.0,2.0,3000000.0,8);
INSERT INTO round VALUES(1,9,67500000000,75000000000,75000000000,9,2,320000000000000.0,2.0,3333333.3333333334885,9);
INSERT INTO round VALUES(1,10,75000000000,82500000000,82500000000,10,2,352000000000000.0,2.0,3666666.6666666665114,10);
INSERT INTO round VALUES(1,11,82500000000,90000000000,90000000000,11,2,384000000000000.0,2.0,4000000.0,11);
INSERT INTO round VALUES(1,12,90000000000,97500000000,97500000000,12,2,416000000000000.0,2.0,4333333.3333333330229,12);
INSERT INTO round VALUES(1,13,97500000000,105000000000,105000000000,13,2,448000000000000.0,2.0,4666666.666666666977,13);
INSERT INTO round VALUES(1,14,105000000000,112500000000,120000000000,14,1,256000000000000.0,1.0,2666666.6666666665114,14);
INSERT INTO round VALUES(2,0,0,7500000000,7500000000,0,2,32000000000000.0,2.0,333333.33333333331394,0);
INSERT INTO round VALUES(2,1,7500000000,15000000000,15000000000,1,2,64000000000000.0,2.0,666666.66666666662788,1);
INSERT INTO round VALUES(2,2,15000000000,22500000000,22500000000,2,2,96000000000000.0,2.0,1000000.0,2);
INSERT INTO round VALUES(2,3,22500000000,30000000000,30000000000,3,2,128000000000000.0,2.0,1333333.3333333332557,3);
INSERT INTO round VALUES(2,4,30000000000,37500000000,37500000000,4,2,160000000000000.0,2.0,1666666.6666666667442,4);
INSERT INTO round VALUES(2,5,37500000000,45000000000,45000000000,5,2,192000000000000.0,2.0,2000000.0,5);
INSERT INTO round VALUES(2,6,45000000000,52500000000,52500000000,6,2,224000000000000.0,2.0,2333333.3333333334885,6);
INSERT INTO round VALUES(2,7,52500000000,60000000000,60000000000,7,2,256000000000000.0,2.0,2666666.6666666665114,7);
INSERT INTO round VALUES(2,8,60000000000,67500000000,67500000000,8,2,288000000000000.0,2.0,3000000.0,8);
INSERT INTO round VALUES(2,9,67500000000,75000000000,75000000000,9,2,320000000000000.0,2.0,3333333.3333333334885,9);
INSERT INTO round VALUES(2,10,75000000000,82500000000,82500000000,10,2,352000000000000.0,2.0,3666666.6666666665114,10);
INSERT INTO round VALUES(2,11,82500000000,90000000000,90000000000,11,2,384000000000000.0,2.0,4000000.0,11);
INSERT INTO round VALUES(2,12,90000000000,97500000000,97500000000,12,2,416000000000000.0,2.0,4333333.3333333330229,12);
INSERT INTO round VALUES(2,13,97500000000,105000000000,105000000000,13,2,448000000000000.0,2.0,4666666.666666666977,13);
INSERT INTO round VALUES(2,14,105000000000,112500000000,112500000000,14,2,480000000000000.0,2.0,5000000.0,14);
INSERT INTO round VALUES(2,15,112500000000,120000000000,120000000000,15,2,512000000000000.0,2.0,5333333.3333333330229,15);
CREATE TABLE published ( -- Tables 1a and 1b of arXiv 2604.21428v1
    table_name TEXT NOT NULL,
    method TEXT NOT NULL,
    learners INTEGER NOT NULL,
    chips INTEGER NOT NULL,
    metric TEXT NOT NULL,
    value REAL NOT NULL, -- fraction
    UNIQUE (table_name, method, learners, chips, metric)
) STRICT;
CREATE TABLE student ( -- 97.5 % quantiles of Student's t; beyond the last row the views use the expansion around the normal
    df INTEGER PRIMARY KEY,
    t95 REAL NOT NULL
) STRICT;
CREATE INDEX transition_run ON transition(run_id);
CREATE VIEW protocol_summary AS -- one row per run: how the rounds went; NULL where the method has no syncer
SELECT run.id AS run_id, scenario.name, scenario.method, scenario.learners, scenario.chips, run.replica, run.seed,
    run.tokens_merged / nullif(run.tokens, 0) AS share_of_tokens_merged,
    run.rounds * param.value / run.duration_s AS rounds_per_step_time, run.participants, run.effective_learners,
    (SELECT sum(chip_seconds) FROM bucket WHERE run_id = run.id AND bucket.name = 'blocked')
        / (scenario.chips * run.duration_s) AS share_blocked, run.staleness, run.staleness_max
FROM run JOIN scenario ON scenario.id = run.scenario_id
JOIN param ON param.scenario_id = scenario.id AND param.key = 'learners.step_time'
WHERE run.rounds > 0
;
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
FROM scenario JOIN mean ON mean.scenario_id = scenario.id JOIN spread ON spread.scenario_id = scenario.id
;
CREATE VIEW table_1a AS -- goodput of scenarios called table-1; where several fit a cell, the one with the newest run, and `scenarios` counts them
WITH ranked AS (
    SELECT *, count(*) OVER cell AS scenarios, row_number() OVER (cell ORDER BY last_run_id DESC) AS rank
    FROM goodput_summary WHERE name = 'table-1' WINDOW cell AS (PARTITION BY method, learners, chips)
)
SELECT p.method, p.learners, p.chips, p.value AS published, r.goodput AS simulated, r.goodput_ci95 AS ci95,
    r.goodput - p.value AS difference, coalesce(r.n, 0) AS n, r.scenario_id, coalesce(r.scenarios, 0) AS scenarios
FROM published AS p
LEFT JOIN ranked AS r ON r.method = p.method AND r.learners = p.learners AND r.chips = p.chips AND r.rank = 1
WHERE p.table_name = '1a' ORDER BY p.rowid
;
CREATE VIEW table_1b AS -- uptime; otherwise as table_1a
WITH ranked AS (
    SELECT *, count(*) OVER cell AS scenarios, row_number() OVER (cell ORDER BY last_run_id DESC) AS rank
    FROM goodput_summary WHERE name = 'table-1' WINDOW cell AS (PARTITION BY method, learners, chips)
)
SELECT p.method, p.learners, p.chips, p.value AS published, r.uptime AS simulated, r.uptime_ci95 AS ci95,
    r.uptime - p.value AS difference, coalesce(r.n, 0) AS n, r.scenario_id, coalesce(r.scenarios, 0) AS scenarios
FROM published AS p
LEFT JOIN ranked AS r ON r.method = p.method AND r.learners = p.learners AND r.chips = p.chips AND r.rank = 1
WHERE p.table_name = '1b' ORDER BY p.rowid
;
COMMIT;
PRAGMA application_id = 1179407438;
PRAGMA user_version = 1;
