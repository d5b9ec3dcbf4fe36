-- how many people
SELECT coalesce(count_big(*), 0) AS coalesce_1 
FROM (SELECT 1 AS one 
FROM registry.people) AS t;

-- spectrum of all kinds
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, count_big(*) AS people 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0, datefromparts(year(CAST(registry.people.born AS DATE)), month(CAST(registry.people.born AS DATE)), 1) AS k1, CAST(registry.people.age AS NUMERIC(38, 10)) - (CAST(registry.people.age AS NUMERIC(38, 10)) % 5 + 5) % 5 AS k2, CASE WHEN (CAST(registry.people.income AS NUMERIC(38, 10)) < 0) THEN -((abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25) - (abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25) % 0.5) ELSE (abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25) - (abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25) % 0.5 END AS k3, (left(registry.people.sex COLLATE Latin1_General_100_CI_AS_SC, 2) + N'|') COLLATE Latin1_General_100_BIN2 AS k4 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4) AS sets GROUP BY sets.people;

-- spectrum of columns as they are
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, t.k5 AS g5, t.k6 AS g6, count_big(*) AS people 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0, registry.people.born AS k1, registry.people.seen AS k2, registry.people.age AS k3, registry.people.income AS k4, registry.people.height AS k5, (CAST(registry.people.code AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2 AS k6 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4, t.k5, t.k6) AS sets GROUP BY sets.people;

-- weeks
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count_big(*) AS people 
FROM (SELECT dateadd(day, -(datediff(day, CAST('0001-01-01' AS DATE), CAST(registry.people.born AS DATE)) % 7), CAST(registry.people.born AS DATE)) AS k0, dateadd(day, -(datediff(day, CAST('0001-01-01' AS DATE), CAST(registry.people.seen AS DATE)) % 7), CAST(registry.people.seen AS DATE)) AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.people;

-- quarters
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count_big(*) AS people 
FROM (SELECT datefromparts(year(CAST(registry.people.born AS DATE)), datepart(quarter, CAST(registry.people.born AS DATE)) * 3 - 2, 1) AS k0, datefromparts(year(CAST(registry.people.seen AS DATE)), datepart(quarter, CAST(registry.people.seen AS DATE)) * 3 - 2, 1) AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.people;

-- years, days and months of the year
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count_big(*) AS people 
FROM (SELECT year(registry.people.born) AS k0, CAST(registry.people.seen AS DATE) AS k1, month(registry.people.seen) AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets GROUP BY sets.people;

-- caps and rounded whole numbers
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count_big(*) AS people 
FROM (SELECT CAST(CASE WHEN (CAST(registry.people.age AS NUMERIC(38, 10)) > 90) THEN 90 ELSE CAST(registry.people.age AS NUMERIC(38, 10)) END AS NUMERIC(38, 10)) - (CAST(CASE WHEN (CAST(registry.people.age AS NUMERIC(38, 10)) > 90) THEN 90 ELSE CAST(registry.people.age AS NUMERIC(38, 10)) END AS NUMERIC(38, 10)) % 5 + 5) % 5 AS k0, CASE WHEN (CAST(registry.people.age AS NUMERIC(38, 10)) < 0) THEN -((abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5) - (abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5) % 10) ELSE (abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5) - (abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5) % 10 END AS k1, CAST(registry.people.height AS NUMERIC(38, 10)) - (CAST(registry.people.height AS NUMERIC(38, 10)) % 0.5 + 0.5) % 0.5 AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets GROUP BY sets.people;

-- digits
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, count_big(*) AS people 
FROM (SELECT (left(CAST(registry.people.age AS NVARCHAR(4000)) COLLATE Latin1_General_100_CI_AS_SC, 1) + N'|') COLLATE Latin1_General_100_BIN2 AS k0 
FROM registry.people) AS t GROUP BY t.k0) AS sets GROUP BY sets.people;

-- top
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END AS o0, top0.kept AS g0, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END AS o1, top1.kept AS g1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END AS o2, top2.kept AS g2, count_big(*) AS people 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0, registry.people.age AS k1, registry.people.born AS k2 
FROM registry.people) AS t LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT TOP 3 r.k0 AS kept 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count_big(*) DESC, r.k0) AS ranked) AS top0 ON t.k0 = top0.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT TOP 5 r.k0 AS kept 
FROM (SELECT registry.people.age AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count_big(*) DESC, (CAST(r.k0 AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2) AS ranked) AS top1 ON t.k1 = top1.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT TOP 2 r.k0 AS kept 
FROM (SELECT registry.people.born AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count_big(*) DESC, (CAST(r.k0 AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2) AS ranked) AS top2 ON t.k2 = top2.kept GROUP BY CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END, top0.kept, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END, top1.kept, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END, top2.kept) AS sets GROUP BY sets.people;

-- groups
SELECT numbered.number, numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END AS seen, count_big(*) AS count_big_1 
FROM (SELECT dense_rank() OVER (ORDER BY sets.g0) AS number, sum(sets.people) OVER (PARTITION BY sets.g0) AS total, 0 AS other, sets.g0 AS value, sets.people AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count_big(*) AS people 
FROM (SELECT (registry.people.sex + N'|') COLLATE Latin1_General_100_BIN2 AS k0, (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k1, CAST(registry.people.age AS NUMERIC(38, 10)) - (CAST(registry.people.age AS NUMERIC(38, 10)) % 10 + 10) % 10 AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets) AS numbered GROUP BY numbered.number, numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END;

-- values
SELECT sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count_big(*) AS people 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0, year(registry.people.born) AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.people >= 10;

-- rarest values
SELECT TOP 10 sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count_big(*) AS people 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0, registry.people.age AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.people >= 1 ORDER BY sets.people, CASE WHEN (sets.g0 IS NULL) THEN 0 ELSE 1 END, sets.g0, CASE WHEN (((CAST(sets.g1 AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2) IS NULL) THEN 0 ELSE 1 END, (CAST(sets.g1 AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2;

-- nulls
SELECT coalesce(count_big(*), 0) AS coalesce_1 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0 
FROM registry.people) AS t 
WHERE t.k0 IS NULL;

-- persons
SELECT count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count_big(*) AS people 
FROM (SELECT (CAST(registry.people.code AS NVARCHAR(4000)) + N'|') COLLATE Latin1_General_100_BIN2 AS k0 
FROM registry.people) AS t GROUP BY t.k0) AS sets 
WHERE sets.people > 1 AND sets.g0 IS NOT NULL;

-- finite
SELECT coalesce(sum(CASE WHEN (t.v IS NOT NULL AND 1 != 1) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(CASE WHEN (t.v IS NOT NULL AND 1 = 1 AND CAST(t.v AS NUMERIC(38, 10)) != t.v) THEN 1 ELSE 0 END), 0) AS coalesce_2 
FROM (SELECT registry.people.height AS v 
FROM registry.people) AS t;

-- filter
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, count_big(*) AS people 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0 
FROM registry.people 
WHERE ((registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 = ('it''s' + N'|') COLLATE Latin1_General_100_BIN2) AND (registry.people.zip COLLATE Latin1_General_100_BIN2 < 'b') AND ((registry.people.sex COLLATE Latin1_General_100_BIN2) LIKE 'F\_[[]%') AND (((registry.people.sex + N'|') COLLATE Latin1_General_100_BIN2 = ('F' + N'|') COLLATE Latin1_General_100_BIN2) OR ((registry.people.sex + N'|') COLLATE Latin1_General_100_BIN2 = ('M' + N'|') COLLATE Latin1_General_100_BIN2)) AND (registry.people.age >= 18) AND (registry.people.age <= 90) AND NOT (registry.people.income IS NULL) AND (registry.people.born >= CAST('1990-05-01' AS DATE)) AND (registry.people.seen < CAST('2020-01-02 03:04:05' AS DATETIME)) AND (registry.people.height > CAST('1.5' AS DOUBLE PRECISION)) AND NOT (((registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 <> (registry.people.sex + N'|') COLLATE Latin1_General_100_BIN2) OR (registry.people.income = 1000.25))) AS t GROUP BY t.k0) AS sets GROUP BY sets.people;

-- counts
SELECT coalesce(sum(CASE WHEN (t.weight IS NULL) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(t.weight), 0) AS coalesce_2 
FROM (SELECT CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) AS t;

-- counted
SELECT sets.people, count_big(*) AS count_big_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, sum(t.weight) AS people 
FROM (SELECT (registry.people.zip + N'|') COLLATE Latin1_General_100_BIN2 AS k0, (registry.people.sex + N'|') COLLATE Latin1_General_100_BIN2 AS k1, CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.people;
