-- how many people
SELECT coalesce(count(*), 0) AS `coalesce_1` 
FROM (SELECT 1 AS `one` 
FROM `registry`.`people`) AS `t`;

-- spectrum of all kinds
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, `t`.`k2` AS `g2`, `t`.`k3` AS `g3`, `t`.`k4` AS `g4`, count(*) AS `people` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0`, date_trunc(CAST(`people`.`born` AS DATE), MONTH) AS `k1`, `people`.`age` - mod(mod(`people`.`age`, BIGNUMERIC '5') + BIGNUMERIC '5', BIGNUMERIC '5') AS `k2`, CASE WHEN (parse_bignumeric(CAST(`people`.`income` AS STRING)) < 0) THEN -((abs(parse_bignumeric(CAST(`people`.`income` AS STRING))) + BIGNUMERIC '0.25') - mod(abs(parse_bignumeric(CAST(`people`.`income` AS STRING))) + BIGNUMERIC '0.25', BIGNUMERIC '0.5')) ELSE (abs(parse_bignumeric(CAST(`people`.`income` AS STRING))) + BIGNUMERIC '0.25') - mod(abs(parse_bignumeric(CAST(`people`.`income` AS STRING))) + BIGNUMERIC '0.25', BIGNUMERIC '0.5') END AS `k3`, collate(substr(`people`.`sex`, 1, 2), '') AS `k4` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`, `t`.`k2`, `t`.`k3`, `t`.`k4`) AS `sets` GROUP BY `sets`.`people`;

-- spectrum of columns as they are
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, `t`.`k2` AS `g2`, `t`.`k3` AS `g3`, `t`.`k4` AS `g4`, `t`.`k5` AS `g5`, `t`.`k6` AS `g6`, count(*) AS `people` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0`, `people`.`born` AS `k1`, datetime(`people`.`seen`, 'UTC') AS `k2`, `people`.`age` AS `k3`, `people`.`income` AS `k4`, CASE WHEN is_nan(`people`.`height`) THEN NULL ELSE `people`.`height` END AS `k5`, collate(CAST(`people`.`code` AS STRING), '') AS `k6` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`, `t`.`k2`, `t`.`k3`, `t`.`k4`, `t`.`k5`, `t`.`k6`) AS `sets` GROUP BY `sets`.`people`;

-- weeks
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, count(*) AS `people` 
FROM (SELECT date_trunc(CAST(`people`.`born` AS DATE), ISOWEEK) AS `k0`, date_trunc(CAST(datetime(`people`.`seen`, 'UTC') AS DATE), ISOWEEK) AS `k1` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`) AS `sets` GROUP BY `sets`.`people`;

-- quarters
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, count(*) AS `people` 
FROM (SELECT date_trunc(CAST(`people`.`born` AS DATE), QUARTER) AS `k0`, date_trunc(CAST(datetime(`people`.`seen`, 'UTC') AS DATE), QUARTER) AS `k1` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`) AS `sets` GROUP BY `sets`.`people`;

-- years, days and months of the year
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, `t`.`k2` AS `g2`, count(*) AS `people` 
FROM (SELECT CAST(EXTRACT(year FROM `people`.`born`) AS INT64) AS `k0`, CAST(datetime(`people`.`seen`, 'UTC') AS DATE) AS `k1`, CAST(EXTRACT(month FROM datetime(`people`.`seen`, 'UTC')) AS INT64) AS `k2` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`, `t`.`k2`) AS `sets` GROUP BY `sets`.`people`;

-- caps and rounded whole numbers
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, `t`.`k2` AS `g2`, count(*) AS `people` 
FROM (SELECT CASE WHEN (`people`.`age` > BIGNUMERIC '90') THEN BIGNUMERIC '90' ELSE `people`.`age` END - mod(mod(CASE WHEN (`people`.`age` > BIGNUMERIC '90') THEN BIGNUMERIC '90' ELSE `people`.`age` END, BIGNUMERIC '5') + BIGNUMERIC '5', BIGNUMERIC '5') AS `k0`, CASE WHEN (parse_bignumeric(CAST(`people`.`age` AS STRING)) < 0) THEN -((abs(parse_bignumeric(CAST(`people`.`age` AS STRING))) + BIGNUMERIC '5') - mod(abs(parse_bignumeric(CAST(`people`.`age` AS STRING))) + BIGNUMERIC '5', BIGNUMERIC '10')) ELSE (abs(parse_bignumeric(CAST(`people`.`age` AS STRING))) + BIGNUMERIC '5') - mod(abs(parse_bignumeric(CAST(`people`.`age` AS STRING))) + BIGNUMERIC '5', BIGNUMERIC '10') END AS `k1`, parse_bignumeric(CAST(CASE WHEN is_nan(`people`.`height`) THEN NULL ELSE `people`.`height` END AS STRING)) - mod(mod(parse_bignumeric(CAST(CASE WHEN is_nan(`people`.`height`) THEN NULL ELSE `people`.`height` END AS STRING)), BIGNUMERIC '0.5') + BIGNUMERIC '0.5', BIGNUMERIC '0.5') AS `k2` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`, `t`.`k2`) AS `sets` GROUP BY `sets`.`people`;

-- digits
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, count(*) AS `people` 
FROM (SELECT collate(substr(CAST(`people`.`age` AS STRING), 1, 1), '') AS `k0` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`) AS `sets` GROUP BY `sets`.`people`;

-- top
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT CASE WHEN (`t`.`k0` IS NOT NULL AND `top0`.`kept` IS NULL) THEN 1 ELSE 0 END AS `o0`, `top0`.`kept` AS `g0`, CASE WHEN (`t`.`k1` IS NOT NULL AND `top1`.`kept` IS NULL) THEN 1 ELSE 0 END AS `o1`, `top1`.`kept` AS `g1`, CASE WHEN (`t`.`k2` IS NOT NULL AND `top2`.`kept` IS NULL) THEN 1 ELSE 0 END AS `o2`, `top2`.`kept` AS `g2`, count(*) AS `people` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0`, `people`.`age` AS `k1`, `people`.`born` AS `k2` 
FROM `registry`.`people`) AS `t` LEFT OUTER JOIN (SELECT `ranked`.`kept` AS `kept` 
FROM (SELECT `r`.`k0` AS `kept` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0` 
FROM `registry`.`people`) AS `r` 
WHERE `r`.`k0` IS NOT NULL GROUP BY `r`.`k0` ORDER BY count(*) DESC, `r`.`k0`
 LIMIT 3) AS `ranked`) AS `top0` ON `t`.`k0` = `top0`.`kept` LEFT OUTER JOIN (SELECT `ranked`.`kept` AS `kept` 
FROM (SELECT `r`.`k0` AS `kept` 
FROM (SELECT `people`.`age` AS `k0` 
FROM `registry`.`people`) AS `r` 
WHERE `r`.`k0` IS NOT NULL GROUP BY `r`.`k0` ORDER BY count(*) DESC, collate(CAST(`r`.`k0` AS STRING), '')
 LIMIT 5) AS `ranked`) AS `top1` ON `t`.`k1` = `top1`.`kept` LEFT OUTER JOIN (SELECT `ranked`.`kept` AS `kept` 
FROM (SELECT `r`.`k0` AS `kept` 
FROM (SELECT `people`.`born` AS `k0` 
FROM `registry`.`people`) AS `r` 
WHERE `r`.`k0` IS NOT NULL GROUP BY `r`.`k0` ORDER BY count(*) DESC, collate(CAST(`r`.`k0` AS STRING), '')
 LIMIT 2) AS `ranked`) AS `top2` ON `t`.`k2` = `top2`.`kept` GROUP BY CASE WHEN (`t`.`k0` IS NOT NULL AND `top0`.`kept` IS NULL) THEN 1 ELSE 0 END, `top0`.`kept`, CASE WHEN (`t`.`k1` IS NOT NULL AND `top1`.`kept` IS NULL) THEN 1 ELSE 0 END, `top1`.`kept`, CASE WHEN (`t`.`k2` IS NOT NULL AND `top2`.`kept` IS NULL) THEN 1 ELSE 0 END, `top2`.`kept`) AS `sets` GROUP BY `sets`.`people`;

-- groups
SELECT `numbered`.`number`, `numbered`.`other`, `numbered`.`people`, CASE WHEN (`numbered`.`total` >= 10) THEN `numbered`.`value` END AS `seen`, count(*) AS `count_1` 
FROM (SELECT dense_rank() OVER (ORDER BY `sets`.`g0`) AS `number`, sum(`sets`.`people`) OVER (PARTITION BY `sets`.`g0`) AS `total`, 0 AS `other`, `sets`.`g0` AS `value`, `sets`.`people` AS `people` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, `t`.`k2` AS `g2`, count(*) AS `people` 
FROM (SELECT collate(`people`.`sex`, '') AS `k0`, collate(`people`.`zip`, '') AS `k1`, `people`.`age` - mod(mod(`people`.`age`, BIGNUMERIC '10') + BIGNUMERIC '10', BIGNUMERIC '10') AS `k2` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`, `t`.`k2`) AS `sets`) AS `numbered` GROUP BY `numbered`.`number`, `numbered`.`other`, `numbered`.`people`, `seen`;

-- values
SELECT `sets`.`g0`, `sets`.`g1`, `sets`.`people` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, count(*) AS `people` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0`, CAST(EXTRACT(year FROM `people`.`born`) AS INT64) AS `k1` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`) AS `sets` 
WHERE `sets`.`people` >= 10;

-- rarest values
SELECT `sets`.`g0`, `sets`.`g1`, `sets`.`people` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, count(*) AS `people` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0`, `people`.`age` AS `k1` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`) AS `sets` 
WHERE `sets`.`people` >= 1 ORDER BY `sets`.`people`, CASE WHEN (`sets`.`g0` IS NULL) THEN 0 ELSE 1 END, `sets`.`g0`, CASE WHEN (collate(CAST(`sets`.`g1` AS STRING), '') IS NULL) THEN 0 ELSE 1 END, collate(CAST(`sets`.`g1` AS STRING), '')
 LIMIT 10;

-- nulls
SELECT coalesce(count(*), 0) AS `coalesce_1` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0` 
FROM `registry`.`people`) AS `t` 
WHERE `t`.`k0` IS NULL;

-- persons
SELECT count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, count(*) AS `people` 
FROM (SELECT collate(CAST(`people`.`code` AS STRING), '') AS `k0` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`) AS `sets` 
WHERE `sets`.`people` > 1 AND `sets`.`g0` IS NOT NULL;

-- finite
SELECT coalesce(sum(CASE WHEN (`t`.`v` IS NOT NULL AND NOT (NOT is_inf(`t`.`v`))) THEN 1 ELSE 0 END), 0) AS `coalesce_1`, coalesce(sum(CASE WHEN (`t`.`v` IS NOT NULL AND NOT is_inf(`t`.`v`) AND 1 = 0) THEN 1 ELSE 0 END), 0) AS `coalesce_2` 
FROM (SELECT CASE WHEN is_nan(`people`.`height`) THEN NULL ELSE `people`.`height` END AS `v` 
FROM `registry`.`people`) AS `t`;

-- filter
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, count(*) AS `people` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0` 
FROM `registry`.`people` 
WHERE (collate(`people`.`zip`, '') = collate("it's", '')) AND (collate(`people`.`zip`, '') < collate('b', '')) AND (`people`.`sex` LIKE 'F\\\\_[%%') AND ((collate(`people`.`sex`, '') = collate('F', '')) OR (collate(`people`.`sex`, '') = collate('M', ''))) AND (`people`.`age` >= 18) AND (`people`.`age` <= 90) AND NOT (`people`.`income` IS NULL) AND (`people`.`born` >= CAST('1990-05-01' AS DATE)) AND (datetime(`people`.`seen`, 'UTC') < CAST('2020-01-02 03:04:05' AS DATETIME)) AND (CASE WHEN is_nan(`people`.`height`) THEN NULL ELSE `people`.`height` END > CAST('1.5' AS FLOAT64)) AND NOT ((collate(`people`.`zip`, '') <> collate(`people`.`sex`, '')) OR (`people`.`income` = BIGNUMERIC '1000.25'))) AS `t` GROUP BY `t`.`k0`) AS `sets` GROUP BY `sets`.`people`;

-- counts
SELECT coalesce(sum(CASE WHEN (`t`.`weight` IS NULL) THEN 1 ELSE 0 END), 0) AS `coalesce_1`, coalesce(sum(`t`.`weight`), 0) AS `coalesce_2` 
FROM (SELECT CASE WHEN (`people`.`people` >= 0 AND `people`.`people` = floor(`people`.`people`)) THEN `people`.`people` END AS `weight` 
FROM `registry`.`people`) AS `t`;

-- counted
SELECT `sets`.`people`, count(*) AS `count_1` 
FROM (SELECT `t`.`k0` AS `g0`, `t`.`k1` AS `g1`, sum(`t`.`weight`) AS `people` 
FROM (SELECT collate(`people`.`zip`, '') AS `k0`, collate(`people`.`sex`, '') AS `k1`, CASE WHEN (`people`.`people` >= 0 AND `people`.`people` = floor(`people`.`people`)) THEN `people`.`people` END AS `weight` 
FROM `registry`.`people`) AS `t` GROUP BY `t`.`k0`, `t`.`k1`) AS `sets` GROUP BY `sets`.`people`;
