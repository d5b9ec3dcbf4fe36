-- how many people
SELECT coalesce(count(*), 0) AS coalesce_1 
FROM (SELECT 1 AS one 
FROM registry.people) AS t;

-- spectrum of all kinds
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, count(*) AS people 
FROM (SELECT registry.people.zip AS k0, CAST(date_trunc('month', registry.people.born) AS DATE) AS k1, CAST(registry.people.age AS DECIMAL(38, 10)) - mod(mod(CAST(registry.people.age AS DECIMAL(38, 10)), 5) + 5, 5) AS k2, CASE WHEN (CAST(registry.people.income AS DECIMAL(38, 10)) < 0) THEN -((abs(CAST(registry.people.income AS DECIMAL(38, 10))) + 0.25) - mod(abs(CAST(registry.people.income AS DECIMAL(38, 10))) + 0.25, 0.5)) ELSE (abs(CAST(registry.people.income AS DECIMAL(38, 10))) + 0.25) - mod(abs(CAST(registry.people.income AS DECIMAL(38, 10))) + 0.25, 0.5) END AS k3, substr(registry.people.sex, 1, 2) AS k4 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4) AS sets GROUP BY sets.people;

-- spectrum of columns as they are
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, t.k5 AS g5, t.k6 AS g6, count(*) AS people 
FROM (SELECT registry.people.zip AS k0, registry.people.born AS k1, registry.people.seen AS k2, registry.people.age AS k3, registry.people.income AS k4, CASE WHEN is_nan(registry.people.height) THEN NULL ELSE registry.people.height END AS k5, CAST(registry.people.code AS VARCHAR) AS k6 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4, t.k5, t.k6) AS sets GROUP BY sets.people;

-- weeks
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT CAST(date_trunc('week', registry.people.born) AS DATE) AS k0, CAST(date_trunc('week', registry.people.seen) AS DATE) AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.people;

-- quarters
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT CAST(date_trunc('quarter', registry.people.born) AS DATE) AS k0, CAST(date_trunc('quarter', registry.people.seen) AS DATE) AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.people;

-- years, days and months of the year
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT CAST(EXTRACT(year FROM registry.people.born) AS INTEGER) AS k0, CAST(registry.people.seen AS DATE) AS k1, CAST(EXTRACT(month FROM registry.people.seen) AS INTEGER) AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets GROUP BY sets.people;

-- caps and rounded whole numbers
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT CAST(CASE WHEN (CAST(registry.people.age AS DECIMAL(38, 10)) > 90) THEN 90 ELSE CAST(registry.people.age AS DECIMAL(38, 10)) END AS DECIMAL(38, 10)) - mod(mod(CAST(CASE WHEN (CAST(registry.people.age AS DECIMAL(38, 10)) > 90) THEN 90 ELSE CAST(registry.people.age AS DECIMAL(38, 10)) END AS DECIMAL(38, 10)), 5) + 5, 5) AS k0, CASE WHEN (CAST(registry.people.age AS DECIMAL(38, 10)) < 0) THEN -((abs(CAST(registry.people.age AS DECIMAL(38, 10))) + 5) - mod(abs(CAST(registry.people.age AS DECIMAL(38, 10))) + 5, 10)) ELSE (abs(CAST(registry.people.age AS DECIMAL(38, 10))) + 5) - mod(abs(CAST(registry.people.age AS DECIMAL(38, 10))) + 5, 10) END AS k1, CAST(CASE WHEN is_nan(registry.people.height) THEN NULL ELSE registry.people.height END AS DECIMAL(38, 10)) - mod(mod(CAST(CASE WHEN is_nan(registry.people.height) THEN NULL ELSE registry.people.height END AS DECIMAL(38, 10)), 0.5) + 0.5, 0.5) AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets GROUP BY sets.people;

-- digits
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT substr(CAST(registry.people.age AS VARCHAR), 1, 1) AS k0 
FROM registry.people) AS t GROUP BY t.k0) AS sets GROUP BY sets.people;

-- top
SELECT sets.people, count(*) AS count_1 
FROM (SELECT CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END AS o0, top0.kept AS g0, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END AS o1, top1.kept AS g1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END AS o2, top2.kept AS g2, count(*) AS people 
FROM (SELECT registry.people.zip AS k0, registry.people.age AS k1, registry.people.born AS k2 
FROM registry.people) AS t LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.zip AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, r.k0
LIMIT 3) AS ranked) AS top0 ON t.k0 = top0.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.age AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, CAST(r.k0 AS VARCHAR)
LIMIT 5) AS ranked) AS top1 ON t.k1 = top1.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.born AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, CAST(r.k0 AS VARCHAR)
LIMIT 2) AS ranked) AS top2 ON t.k2 = top2.kept GROUP BY CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END, top0.kept, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END, top1.kept, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END, top2.kept) AS sets GROUP BY sets.people;

-- groups
SELECT numbered.number, numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END AS seen, count(*) AS count_1 
FROM (SELECT dense_rank() OVER (ORDER BY sets.g0) AS number, sum(sets.people) OVER (PARTITION BY sets.g0) AS total, 0 AS other, sets.g0 AS value, sets.people AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT registry.people.sex AS k0, registry.people.zip AS k1, CAST(registry.people.age AS DECIMAL(38, 10)) - mod(mod(CAST(registry.people.age AS DECIMAL(38, 10)), 10) + 10, 10) AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets) AS numbered GROUP BY numbered.number, numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END;

-- values
SELECT sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT registry.people.zip AS k0, CAST(EXTRACT(year FROM registry.people.born) AS INTEGER) AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.people >= 10;

-- rarest values
SELECT sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT registry.people.zip AS k0, registry.people.age AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.people >= 1 ORDER BY sets.people, CASE WHEN (sets.g0 IS NULL) THEN 0 ELSE 1 END, sets.g0, CASE WHEN (CAST(sets.g1 AS VARCHAR) IS NULL) THEN 0 ELSE 1 END, CAST(sets.g1 AS VARCHAR)
LIMIT 10;

-- nulls
SELECT coalesce(count(*), 0) AS coalesce_1 
FROM (SELECT registry.people.zip AS k0 
FROM registry.people) AS t 
WHERE t.k0 IS NULL;

-- persons
SELECT count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT CAST(registry.people.code AS VARCHAR) AS k0 
FROM registry.people) AS t GROUP BY t.k0) AS sets 
WHERE sets.people > 1 AND sets.g0 IS NOT NULL;

-- finite
SELECT coalesce(sum(CASE WHEN (t.v IS NOT NULL AND NOT is_finite(t.v)) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(CASE WHEN (t.v IS NOT NULL AND is_finite(t.v) AND CAST(t.v AS DECIMAL(38, 10)) != t.v) THEN 1 ELSE 0 END), 0) AS coalesce_2 
FROM (SELECT CASE WHEN is_nan(registry.people.height) THEN NULL ELSE registry.people.height END AS v 
FROM registry.people) AS t;

-- filter
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT registry.people.zip AS k0 
FROM registry.people 
WHERE (registry.people.zip = 'it''s') AND (registry.people.zip < 'b') AND (registry.people.sex LIKE 'F\_[%') AND ((registry.people.sex = 'F') OR (registry.people.sex = 'M')) AND (registry.people.age >= 18) AND (registry.people.age <= 90) AND NOT (registry.people.income IS NULL) AND (registry.people.born >= CAST('1990-05-01' AS DATE)) AND (registry.people.seen < CAST('2020-01-02 03:04:05' AS TIMESTAMP)) AND (CASE WHEN is_nan(registry.people.height) THEN NULL ELSE registry.people.height END > CAST('1.5' AS DOUBLE)) AND NOT ((registry.people.zip <> registry.people.sex) OR (registry.people.income = 1000.25))) AS t GROUP BY t.k0) AS sets GROUP BY sets.people;

-- counts
SELECT coalesce(sum(CASE WHEN (t.weight IS NULL) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(t.weight), 0) AS coalesce_2 
FROM (SELECT CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) AS t;

-- counted
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, sum(t.weight) AS people 
FROM (SELECT registry.people.zip AS k0, registry.people.sex AS k1, CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.people;
