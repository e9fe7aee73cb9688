-- Tables 4, 5, 12 and 13 for the plots, a row per cell: the table, then numbers. plots/paper.awk drops what is none, so that no text of
-- the database gets further.
BEGIN; -- one state of the database, even while others write
SELECT 4, CASE method WHEN 'elastic-dp' THEN 1 ELSE 2 END, n > 0, 100.0 * extra, published, simulated, a
FROM table_4 WHERE method IN ('elastic-dp', 'decoupled-diloco') ORDER BY 2, 4;
SELECT 5, quorum, grace = 'on', overlap, basis = 'assumed', 100.0 * published, 100.0 * simulated, 100.0 * ci95, participants,
    rounds_per_step_time
FROM table_5;
SELECT 12, copy_steps, iif(published = 0, 0, published * lost_elastic_dp), lost_decoupled, lost_elastic_dp FROM table_12 ORDER BY copy_steps;
SELECT 13, step_time_s, datacentres, CASE WHEN method = 'elastic-dp' THEN 1 WHEN bits = 16 THEN 2 ELSE 3 END, 100.0 * compute_utilisation,
    published, simulated, within_one_step = 'no'
FROM table_13
WHERE (method = 'elastic-dp' AND bits = 16) OR (method = 'decoupled-diloco' AND bits IN (4, 16))
ORDER BY 2, 3, 4, 5;
COMMIT;
