-- how many people
SELECT coalesce(count(*), 0) AS coalesce_1 
FROM (SELECT 1 AS one 
FROM registry.people) AS t;

-- spectrum of all kinds
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, CAST(date_trunc('month', registry.people.born) AS DATE) AS k1, CAST(registry.people.age AS NUMERIC(38, 10)) - mod(mod(CAST(registry.people.age AS NUMERIC(38, 10)), 5) + 5, 5) AS k2, CASE WHEN (CAST(registry.people.income AS NUMERIC(38, 10)) < 0) THEN -((abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25) - mod(abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25, 0.5)) ELSE (abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25) - mod(abs(CAST(registry.people.income AS NUMERIC(38, 10))) + 0.25, 0.5) END AS k3, collate(left(registry.people.sex, 2), '') AS k4 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4) AS sets GROUP BY sets.people;

-- spectrum of columns as they are
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, t.k5 AS g5, t.k6 AS g6, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, registry.people.born AS k1, registry.people.seen AS k2, registry.people.age AS k3, registry.people.income AS k4, nullif(registry.people.height, 'NaN'::float) AS k5, collate(CAST(registry.people.code AS VARCHAR), '') AS k6 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4, t.k5, t.k6) AS sets GROUP BY sets.people;

-- weeks
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT CAST(dateadd(day, 1 - dayofweekiso(registry.people.born), registry.people.born) AS DATE) AS k0, CAST(dateadd(day, 1 - dayofweekiso(registry.people.seen), registry.people.seen) AS DATE) AS k1 
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
FROM (SELECT CAST(CASE WHEN (CAST(registry.people.age AS NUMERIC(38, 10)) > 90) THEN 90 ELSE CAST(registry.people.age AS NUMERIC(38, 10)) END AS NUMERIC(38, 10)) - mod(mod(CAST(CASE WHEN (CAST(registry.people.age AS NUMERIC(38, 10)) > 90) THEN 90 ELSE CAST(registry.people.age AS NUMERIC(38, 10)) END AS NUMERIC(38, 10)), 5) + 5, 5) AS k0, CASE WHEN (CAST(registry.people.age AS NUMERIC(38, 10)) < 0) THEN -((abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5) - mod(abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5, 10)) ELSE (abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5) - mod(abs(CAST(registry.people.age AS NUMERIC(38, 10))) + 5, 10) END AS k1, CAST(nullif(registry.people.height, 'NaN'::float) AS NUMERIC(38, 10)) - mod(mod(CAST(nullif(registry.people.height, 'NaN'::float) AS NUMERIC(38, 10)), 0.5) + 0.5, 0.5) AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets GROUP BY sets.people;

-- digits
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT collate(left(CAST(registry.people.age AS VARCHAR), 1), '') AS k0 
FROM registry.people) AS t GROUP BY t.k0) AS sets GROUP BY sets.people;

-- top
SELECT sets.people, count(*) AS count_1 
FROM (SELECT CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END AS o0, top0.kept AS g0, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END AS o1, top1.kept AS g1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END AS o2, top2.kept AS g2, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, registry.people.age AS k1, registry.people.born AS k2 
FROM registry.people) AS t LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT collate(registry.people.zip, '') AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, r.k0
 LIMIT 3) AS ranked) AS top0 ON t.k0 = top0.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.age AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, collate(CAST(r.k0 AS VARCHAR), '')
 LIMIT 5) AS ranked) AS top1 ON t.k1 = top1.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.born AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, collate(CAST(r.k0 AS VARCHAR), '')
 LIMIT 2) AS ranked) AS top2 ON t.k2 = top2.kept GROUP BY CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END, top0.kept, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END, top1.kept, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END, top2.kept) AS sets GROUP BY sets.people;

-- groups
SELECT numbered.number, numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END AS seen, count(*) AS count_1 
FROM (SELECT dense_rank() OVER (ORDER BY sets.g0) AS number, sum(sets.people) OVER (PARTITION BY sets.g0) AS total, 0 AS other, sets.g0 AS value, sets.people AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(registry.people.zip, '') AS k1, CAST(registry.people.age AS NUMERIC(38, 10)) - mod(mod(CAST(registry.people.age AS NUMERIC(38, 10)), 10) + 10, 10) AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets) AS numbered GROUP BY numbered.number, numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END;

-- values
SELECT sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, CAST(EXTRACT(year FROM registry.people.born) AS INTEGER) AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.people >= 10;

-- rarest values
SELECT sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, registry.people.age AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.people >= 1 ORDER BY sets.people, CASE WHEN (sets.g0 IS NULL) THEN 0 ELSE 1 END, sets.g0, CASE WHEN (collate(CAST(sets.g1 AS VARCHAR), '') IS NULL) THEN 0 ELSE 1 END, collate(CAST(sets.g1 AS VARCHAR), '')
 LIMIT 10;

-- nulls
SELECT coalesce(count(*), 0) AS coalesce_1 
FROM (SELECT collate(registry.people.zip, '') AS k0 
FROM registry.people) AS t 
WHERE t.k0 IS NULL;

-- persons
SELECT count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT collate(CAST(registry.people.code AS VARCHAR), '') AS k0 
FROM registry.people) AS t GROUP BY t.k0) AS sets 
WHERE sets.people > 1 AND sets.g0 IS NOT NULL;

-- finite
SELECT coalesce(sum(CASE WHEN (t.v IS NOT NULL AND abs(t.v) = 'inf'::float) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(CASE WHEN (t.v IS NOT NULL AND abs(t.v) != 'inf'::float AND CAST(t.v AS NUMERIC(38, 10)) != t.v) THEN 1 ELSE 0 END), 0) AS coalesce_2 
FROM (SELECT nullif(registry.people.height, 'NaN'::float) AS v 
FROM registry.people) AS t;

-- filter
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0 
FROM registry.people 
WHERE (collate(registry.people.zip, '') = collate('it''s', '')) AND (collate(registry.people.zip, '') < collate('b', '')) AND (registry.people.sex LIKE 'F\\_[%') AND ((collate(registry.people.sex, '') = collate('F', '')) OR (collate(registry.people.sex, '') = collate('M', ''))) AND (registry.people.age >= 18) AND (registry.people.age <= 90) AND NOT (registry.people.income IS NULL) AND (registry.people.born >= CAST('1990-05-01' AS DATE)) AND (registry.people.seen < CAST('2020-01-02 03:04:05' AS datetime)) AND (nullif(registry.people.height, 'NaN'::float) > CAST('1.5' AS DOUBLE)) AND NOT ((collate(registry.people.zip, '') <> collate(registry.people.sex, '')) OR (registry.people.income = 1000.25))) AS t GROUP BY t.k0) AS sets GROUP BY sets.people;

-- counts
SELECT coalesce(sum(CASE WHEN (t.weight IS NULL) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(t.weight), 0) AS coalesce_2 
FROM (SELECT CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) AS t;

-- counted
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, sum(t.weight) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, collate(registry.people.sex, '') AS k1, CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.people;

-- people
WITH idbits_pairs AS 
(SELECT sets.g0 AS p, sets.g1 AS v0, sets.o2 AS v1, sets.g2 AS v2, CASE WHEN (sets.g1 IS NULL OR sets.g2 IS NULL AND sets.o2 = 0) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g1 IS NULL AND sets.g2 IS NULL AND sets.o2 = 0) THEN 1 ELSE 0 END AS all_null, CASE WHEN (sets.g0 IS NULL) THEN 1 ELSE sets.people END AS n_rows, CASE WHEN (sets.g0 IS NULL) THEN sets.people ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END AS o2, top2.kept AS g2, count(*) AS people 
FROM (SELECT collate(CAST(registry.people.code AS VARCHAR), '') AS k0, collate(registry.people.zip, '') AS k1, registry.people.age AS k2 
FROM registry.people) AS t LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.age AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, collate(CAST(r.k0 AS VARCHAR), '')
 LIMIT 3) AS ranked) AS top2 ON t.k2 = top2.kept GROUP BY t.k0, t.k1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END, top2.kept) AS sets), 
idbits_grouped AS 
(SELECT idbits_pairs.p AS p, CASE WHEN (idbits_pairs.p IS NULL) THEN row_number() OVER (PARTITION BY idbits_pairs.p ORDER BY idbits_pairs.v0, idbits_pairs.v1, idbits_pairs.v2) ELSE 0 END AS own, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, sum(idbits_pairs.people) OVER (PARTITION BY idbits_pairs.v0, idbits_pairs.v1, idbits_pairs.v2) AS k 
FROM idbits_pairs), 
idbits_persons AS 
(SELECT sum(idbits_grouped.n_rows) AS n_rows, min(idbits_grouped.k) AS k, max(CASE WHEN (idbits_grouped.k = 1 AND idbits_grouped.some_null = 0) THEN 1 ELSE 0 END) AS has_full, min(idbits_grouped.all_null) AS only_nulls, max(idbits_grouped.people) AS people 
FROM idbits_grouped GROUP BY idbits_grouped.p, idbits_grouped.own)
 SELECT idbits_persons.n_rows, idbits_persons.k, CASE WHEN (idbits_persons.k = 1 AND idbits_persons.has_full = 0) THEN 1 ELSE 0 END AS anon_1, idbits_persons.only_nulls, sum(idbits_persons.people) AS sum_1 
FROM idbits_persons GROUP BY idbits_persons.n_rows, idbits_persons.k, CASE WHEN (idbits_persons.k = 1 AND idbits_persons.has_full = 0) THEN 1 ELSE 0 END, idbits_persons.only_nulls;

-- people of categories
WITH idbits_pairs AS 
(SELECT sets.g0 AS c0, sets.g1 AS p, sets.g2 AS v0, sets.g3 AS v1, CASE WHEN (sets.g2 IS NULL OR sets.g3 IS NULL) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g2 IS NULL AND sets.g3 IS NULL) THEN 1 ELSE 0 END AS all_null, sets.people AS n_rows, CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1, collate(registry.people.zip, '') AS k2, registry.people.age AS k3 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3) AS sets 
WHERE sets.g1 IS NOT NULL), 
idbits_grouped AS 
(SELECT dense_rank() OVER (ORDER BY idbits_pairs.c0) AS category, idbits_pairs.p AS p, 0 AS own, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, sum(idbits_pairs.people) OVER (PARTITION BY idbits_pairs.c0, idbits_pairs.v0, idbits_pairs.v1) AS k 
FROM idbits_pairs), 
idbits_persons AS 
(SELECT idbits_grouped.category AS category, sum(idbits_grouped.n_rows) AS n_rows, min(idbits_grouped.k) AS k, max(CASE WHEN (idbits_grouped.k = 1 AND idbits_grouped.some_null = 0) THEN 1 ELSE 0 END) AS has_full, min(idbits_grouped.all_null) AS only_nulls, max(idbits_grouped.people) AS people 
FROM idbits_grouped GROUP BY idbits_grouped.category, idbits_grouped.p, idbits_grouped.own)
 SELECT idbits_persons.category, idbits_persons.n_rows, idbits_persons.k, CASE WHEN (idbits_persons.k = 1 AND idbits_persons.has_full = 0) THEN 1 ELSE 0 END AS anon_1, idbits_persons.only_nulls, sum(idbits_persons.people) AS sum_1 
FROM idbits_persons GROUP BY idbits_persons.category, idbits_persons.n_rows, idbits_persons.k, CASE WHEN (idbits_persons.k = 1 AND idbits_persons.has_full = 0) THEN 1 ELSE 0 END, idbits_persons.only_nulls;

-- categories
WITH idbits_held AS 
(SELECT sets.g0 AS g0, sets.g0 AS value, sum(CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END) AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.g0 
HAVING sum(CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END) > 0)
 SELECT dense_rank() OVER (ORDER BY idbits_held.g0) AS anon_1, 0, CASE WHEN (idbits_held.people >= 10) THEN idbits_held.value END AS anon_2 
FROM idbits_held;

-- people in several categories
WITH idbits_pairs AS 
(SELECT sets.g0 AS c0, sets.g1 AS p, sets.g2 AS v0, sets.g3 AS v1, CASE WHEN (sets.g2 IS NULL OR sets.g3 IS NULL) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g2 IS NULL AND sets.g3 IS NULL) THEN 1 ELSE 0 END AS all_null, sets.people AS n_rows, CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1, collate(registry.people.zip, '') AS k2, registry.people.age AS k3 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3) AS sets 
WHERE sets.g1 IS NOT NULL), 
idbits_homes AS 
(SELECT DISTINCT idbits_pairs.p AS p, idbits_pairs.c0 AS c0 
FROM idbits_pairs 
WHERE idbits_pairs.p IS NOT NULL), 
idbits_persons AS 
(SELECT count(*) AS n 
FROM idbits_homes GROUP BY idbits_homes.p)
 SELECT count(*) AS count_1 
FROM idbits_persons 
WHERE idbits_persons.n > 1;

-- records
WITH idbits_pairs AS 
(SELECT sets.g0 AS p, sets.g1 AS v0, sets.o2 AS v1, sets.g2 AS v2, CASE WHEN (sets.g1 IS NULL OR sets.g2 IS NULL AND sets.o2 = 0) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g1 IS NULL AND sets.g2 IS NULL AND sets.o2 = 0) THEN 1 ELSE 0 END AS all_null, CASE WHEN (sets.g0 IS NULL) THEN 1 ELSE sets.people END AS n_rows, CASE WHEN (sets.g0 IS NULL) THEN sets.people ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END AS o2, top2.kept AS g2, count(*) AS people 
FROM (SELECT collate(CAST(registry.people.code AS VARCHAR), '') AS k0, collate(registry.people.zip, '') AS k1, registry.people.age AS k2 
FROM registry.people) AS t LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.age AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, collate(CAST(r.k0 AS VARCHAR), '')
 LIMIT 3) AS ranked) AS top2 ON t.k2 = top2.kept GROUP BY t.k0, t.k1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END, top2.kept) AS sets), 
idbits_grouped AS 
(SELECT idbits_pairs.p AS p, CASE WHEN (idbits_pairs.p IS NULL) THEN row_number() OVER (PARTITION BY idbits_pairs.p ORDER BY idbits_pairs.v0, idbits_pairs.v1, idbits_pairs.v2) ELSE 0 END AS own, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, sum(idbits_pairs.people) OVER (PARTITION BY idbits_pairs.v0, idbits_pairs.v1, idbits_pairs.v2) AS k 
FROM idbits_pairs), 
idbits_of_person AS 
(SELECT sum(idbits_grouped.n_rows) OVER (PARTITION BY idbits_grouped.p, idbits_grouped.own) AS total, min(idbits_grouped.k) OVER (PARTITION BY idbits_grouped.p, idbits_grouped.own) AS smallest, idbits_grouped.n_rows AS n_rows, idbits_grouped.k AS k, idbits_grouped.people AS people 
FROM idbits_grouped)
 SELECT idbits_of_person.total, idbits_of_person.n_rows, idbits_of_person.k, sum(idbits_of_person.people) AS sum_1 
FROM idbits_of_person 
WHERE idbits_of_person.smallest > 0 GROUP BY idbits_of_person.total, idbits_of_person.n_rows, idbits_of_person.k;

-- people of the population
SELECT coalesce(sum(CASE WHEN (sets.g0 IS NULL) THEN 0 ELSE 1 END), 0) AS coalesce_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT collate(CAST(registry.people.code AS VARCHAR), '') AS k0 
FROM registry.people) AS t GROUP BY t.k0) AS sets;

-- people against a population
WITH idbits_pairs AS 
(SELECT sets.g0 AS p, sets.g1 AS v0, CASE WHEN (sets.g1 IS NULL) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g1 IS NULL) THEN 1 ELSE 0 END AS all_null, sets.people AS n_rows, CASE WHEN (sets.g0 IS NULL) THEN 0 ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT collate(CAST(registry.people.code AS VARCHAR), '') AS k0, collate(registry.people.zip, '') AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.g0 IS NOT NULL), 
idbits_counted AS 
(SELECT sets.g0 AS g0, sum(CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END) AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.g0), 
idbits_theirs AS 
(SELECT idbits_counted.g0 AS g0, idbits_counted.people AS people 
FROM idbits_counted 
WHERE idbits_counted.people > 0), 
idbits_both AS 
(SELECT idbits_pairs.p AS p, idbits_pairs.v0 AS v0, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, 0 AS held 
FROM idbits_pairs UNION ALL SELECT NULL AS p, idbits_theirs.g0 AS v0, 0 AS some_null, 0 AS all_null, 0 AS n_rows, 0 AS people, idbits_theirs.people AS held 
FROM idbits_theirs), 
idbits_grouped AS 
(SELECT idbits_both.p AS p, 0 AS own, idbits_both.some_null AS some_null, idbits_both.all_null AS all_null, idbits_both.n_rows AS n_rows, idbits_both.people AS people, sum(idbits_both.held) OVER (PARTITION BY idbits_both.v0) AS k 
FROM idbits_both), 
idbits_ours AS 
(SELECT idbits_grouped.p AS p, idbits_grouped.own AS own, idbits_grouped.some_null AS some_null, idbits_grouped.all_null AS all_null, idbits_grouped.n_rows AS n_rows, idbits_grouped.people AS people, idbits_grouped.k AS k 
FROM idbits_grouped 
WHERE idbits_grouped.people > 0), 
idbits_persons AS 
(SELECT sum(idbits_ours.n_rows) AS n_rows, min(idbits_ours.k) AS k, max(CASE WHEN (idbits_ours.k = 1 AND idbits_ours.some_null = 0) THEN 1 ELSE 0 END) AS has_full, min(idbits_ours.all_null) AS only_nulls, max(idbits_ours.people) AS people 
FROM idbits_ours GROUP BY idbits_ours.p, idbits_ours.own)
 SELECT idbits_persons.n_rows, idbits_persons.k, CASE WHEN (idbits_persons.k = 1 AND idbits_persons.has_full = 0) THEN 1 ELSE 0 END AS anon_1, idbits_persons.only_nulls, sum(idbits_persons.people) AS sum_1 
FROM idbits_persons GROUP BY idbits_persons.n_rows, idbits_persons.k, CASE WHEN (idbits_persons.k = 1 AND idbits_persons.has_full = 0) THEN 1 ELSE 0 END, idbits_persons.only_nulls;

-- values against a population
WITH idbits_pairs AS 
(SELECT sets.g0 AS p, sets.g1 AS v0, CASE WHEN (sets.g1 IS NULL) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g1 IS NULL) THEN 1 ELSE 0 END AS all_null, sets.people AS n_rows, CASE WHEN (sets.g0 IS NULL) THEN 0 ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT collate(CAST(registry.people.code AS VARCHAR), '') AS k0, collate(registry.people.zip, '') AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets 
WHERE sets.g0 IS NOT NULL), 
idbits_counted AS 
(SELECT sets.g0 AS g0, sum(CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END) AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1 
FROM registry.people) AS t GROUP BY t.k0, t.k1) AS sets GROUP BY sets.g0), 
idbits_theirs AS 
(SELECT idbits_counted.g0 AS g0, idbits_counted.people AS people 
FROM idbits_counted 
WHERE idbits_counted.people > 0), 
idbits_both AS 
(SELECT idbits_pairs.p AS p, idbits_pairs.v0 AS v0, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, 0 AS held 
FROM idbits_pairs UNION ALL SELECT NULL AS p, idbits_theirs.g0 AS v0, 0 AS some_null, 0 AS all_null, 0 AS n_rows, 0 AS people, idbits_theirs.people AS held 
FROM idbits_theirs), 
idbits_vals AS 
(SELECT sum(idbits_both.people) AS n_having, sum(idbits_both.held) AS held 
FROM idbits_both GROUP BY idbits_both.v0)
 SELECT coalesce(sum(CASE WHEN (idbits_vals.n_having > 0 AND idbits_vals.held = 0) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(CASE WHEN (idbits_vals.held > 0 AND idbits_vals.n_having > idbits_vals.held) THEN 1 ELSE 0 END), 0) AS coalesce_2 
FROM idbits_vals;

-- homes
WITH idbits_named AS 
(SELECT CASE WHEN (sets.g0 IS NOT NULL) THEN dense_rank() OVER (ORDER BY sets.g0) END AS named, sets.g1 AS p, sets.g2 AS v0, sets.people AS n_rows 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1, registry.people.age AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets 
WHERE sets.g1 IS NOT NULL), 
idbits_pairs AS 
(SELECT idbits_named.named AS named, idbits_named.p AS p, idbits_named.v0 AS v0, idbits_named.n_rows AS n_rows, CASE WHEN (idbits_named.p IS NULL) THEN idbits_named.named ELSE min(idbits_named.named) OVER (PARTITION BY idbits_named.p) END AS low, CASE WHEN (idbits_named.p IS NULL) THEN idbits_named.named ELSE max(idbits_named.named) OVER (PARTITION BY idbits_named.p) END AS high 
FROM idbits_named), 
idbits_everyone AS 
(SELECT max(idbits_pairs.low) AS low, max(idbits_pairs.high) AS high, 1 AS people 
FROM idbits_pairs 
WHERE idbits_pairs.p IS NOT NULL GROUP BY idbits_pairs.p UNION ALL SELECT idbits_pairs.low AS low, idbits_pairs.high AS high, idbits_pairs.n_rows AS people 
FROM idbits_pairs 
WHERE idbits_pairs.p IS NULL)
 SELECT coalesce(sum(CASE WHEN (idbits_everyone.low != idbits_everyone.high) THEN idbits_everyone.people ELSE 0 END), 0) AS coalesce_1, coalesce(sum(CASE WHEN (idbits_everyone.low IS NULL) THEN idbits_everyone.people ELSE 0 END), 0) AS coalesce_2 
FROM idbits_everyone;

-- sets
WITH idbits_pairs AS 
(SELECT sets.g0 AS p, sets.g1 AS v0, sets.o2 AS v1, sets.g2 AS v2, CASE WHEN (sets.g1 IS NULL OR sets.g2 IS NULL AND sets.o2 = 0) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g1 IS NULL AND sets.g2 IS NULL AND sets.o2 = 0) THEN 1 ELSE 0 END AS all_null, CASE WHEN (sets.g0 IS NULL) THEN 1 ELSE sets.people END AS n_rows, CASE WHEN (sets.g0 IS NULL) THEN sets.people ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END AS o2, top2.kept AS g2, count(*) AS people 
FROM (SELECT collate(CAST(registry.people.code AS VARCHAR), '') AS k0, collate(registry.people.zip, '') AS k1, registry.people.age AS k2 
FROM registry.people) AS t LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.age AS k0 
FROM registry.people) AS r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, collate(CAST(r.k0 AS VARCHAR), '')
 LIMIT 3) AS ranked) AS top2 ON t.k2 = top2.kept GROUP BY t.k0, t.k1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END, top2.kept) AS sets), 
idbits_grouped AS 
(SELECT dense_rank() OVER (ORDER BY idbits_pairs.v0, idbits_pairs.v1, idbits_pairs.v2) AS value_number, idbits_pairs.p AS p, CASE WHEN (idbits_pairs.p IS NULL) THEN row_number() OVER (PARTITION BY idbits_pairs.p ORDER BY idbits_pairs.v0, idbits_pairs.v1, idbits_pairs.v2) ELSE 0 END AS own, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, sum(idbits_pairs.people) OVER (PARTITION BY idbits_pairs.v0, idbits_pairs.v1, idbits_pairs.v2) AS k 
FROM idbits_pairs), 
idbits_person_lists AS 
(SELECT max(idbits_grouped.people) AS people, listagg(CAST(idbits_grouped.value_number AS VARCHAR), ',') WITHIN GROUP (ORDER BY CAST(idbits_grouped.value_number AS VARCHAR)) AS listed, 0 AS is_cut 
FROM idbits_grouped GROUP BY idbits_grouped.p, idbits_grouped.own), 
idbits_alike AS 
(SELECT sum(idbits_person_lists.people) AS group_size, max(idbits_person_lists.is_cut) AS is_cut 
FROM idbits_person_lists GROUP BY collate(idbits_person_lists.listed, ''))
 SELECT idbits_alike.group_size, count(*) AS count_1, max(idbits_alike.is_cut) AS max_1 
FROM idbits_alike GROUP BY idbits_alike.group_size;

-- multisets of categories
WITH idbits_pairs AS 
(SELECT sets.g0 AS c0, sets.g1 AS p, sets.g2 AS v0, sets.g3 AS v1, CASE WHEN (sets.g2 IS NULL OR sets.g3 IS NULL) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g2 IS NULL AND sets.g3 IS NULL) THEN 1 ELSE 0 END AS all_null, sets.people AS n_rows, CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1, collate(registry.people.zip, '') AS k2, registry.people.age AS k3 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3) AS sets 
WHERE sets.g1 IS NOT NULL), 
idbits_grouped AS 
(SELECT dense_rank() OVER (ORDER BY idbits_pairs.c0) AS category, dense_rank() OVER (ORDER BY idbits_pairs.v0, idbits_pairs.v1) AS value_number, idbits_pairs.p AS p, 0 AS own, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, sum(idbits_pairs.people) OVER (PARTITION BY idbits_pairs.c0, idbits_pairs.v0, idbits_pairs.v1) AS k 
FROM idbits_pairs), 
idbits_person_lists AS 
(SELECT idbits_grouped.category AS category, max(idbits_grouped.people) AS people, listagg(concat(CAST(idbits_grouped.value_number AS VARCHAR), ':', CAST(idbits_grouped.n_rows AS VARCHAR)), ',') WITHIN GROUP (ORDER BY concat(CAST(idbits_grouped.value_number AS VARCHAR), ':', CAST(idbits_grouped.n_rows AS VARCHAR))) AS listed, 0 AS is_cut 
FROM idbits_grouped GROUP BY idbits_grouped.category, idbits_grouped.p, idbits_grouped.own), 
idbits_alike AS 
(SELECT idbits_person_lists.category AS category, sum(idbits_person_lists.people) AS group_size, max(idbits_person_lists.is_cut) AS is_cut 
FROM idbits_person_lists GROUP BY idbits_person_lists.category, collate(idbits_person_lists.listed, ''))
 SELECT idbits_alike.category, idbits_alike.group_size, count(*) AS count_1, max(idbits_alike.is_cut) AS max_1 
FROM idbits_alike GROUP BY idbits_alike.category, idbits_alike.group_size;

-- profiles
WITH idbits_pairs AS 
(SELECT sets.g0 AS c0, sets.g1 AS p, sets.g2 AS v0, sets.g3 AS v1, CASE WHEN (sets.g2 IS NULL OR sets.g3 IS NULL) THEN 1 ELSE 0 END AS some_null, CASE WHEN (sets.g2 IS NULL AND sets.g3 IS NULL) THEN 1 ELSE 0 END AS all_null, sets.people AS n_rows, CASE WHEN (sets.g1 IS NULL) THEN 0 ELSE 1 END AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, count(*) AS people 
FROM (SELECT collate(registry.people.sex, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1, collate(registry.people.zip, '') AS k2, registry.people.age AS k3 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2, t.k3) AS sets 
WHERE sets.g1 IS NOT NULL), 
idbits_grouped AS 
(SELECT dense_rank() OVER (ORDER BY idbits_pairs.c0) AS category, idbits_pairs.p AS p, 0 AS own, idbits_pairs.some_null AS some_null, idbits_pairs.all_null AS all_null, idbits_pairs.n_rows AS n_rows, idbits_pairs.people AS people, sum(idbits_pairs.people) OVER (PARTITION BY idbits_pairs.c0, idbits_pairs.v0, idbits_pairs.v1) AS k 
FROM idbits_pairs), 
idbits_person_lists AS 
(SELECT idbits_grouped.category AS category, max(idbits_grouped.people) AS people, listagg(concat(CAST(idbits_grouped.k AS VARCHAR), ':', CAST(idbits_grouped.n_rows AS VARCHAR)), ',') WITHIN GROUP (ORDER BY concat(CAST(idbits_grouped.k AS VARCHAR), ':', CAST(idbits_grouped.n_rows AS VARCHAR))) AS listed, 0 AS is_cut 
FROM idbits_grouped GROUP BY idbits_grouped.category, idbits_grouped.p, idbits_grouped.own 
HAVING min(idbits_grouped.k) > 0)
 SELECT idbits_person_lists.category, min(idbits_person_lists.listed) AS min_1, sum(idbits_person_lists.people) AS sum_1, max(idbits_person_lists.is_cut) AS max_1 
FROM idbits_person_lists GROUP BY idbits_person_lists.category, collate(idbits_person_lists.listed, '');

-- risks of households
WITH idbits_named AS 
(SELECT CASE WHEN (sets.g0 IS NOT NULL) THEN dense_rank() OVER (ORDER BY sets.g0) END AS named, sets.g1 AS p, sets.g2 AS v0, sets.people AS n_rows 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1, registry.people.age AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets 
WHERE sets.g1 IS NOT NULL), 
idbits_pairs AS 
(SELECT idbits_named.named AS named, idbits_named.p AS p, idbits_named.v0 AS v0, idbits_named.n_rows AS n_rows, CASE WHEN (idbits_named.p IS NULL) THEN idbits_named.named ELSE min(idbits_named.named) OVER (PARTITION BY idbits_named.p) END AS low, CASE WHEN (idbits_named.p IS NULL) THEN idbits_named.named ELSE max(idbits_named.named) OVER (PARTITION BY idbits_named.p) END AS high 
FROM idbits_named), 
idbits_held AS 
(SELECT idbits_pairs.low AS home, idbits_pairs.p AS p, idbits_pairs.v0 AS v0, sum(idbits_pairs.n_rows) AS n_rows 
FROM idbits_pairs GROUP BY idbits_pairs.low, idbits_pairs.p, idbits_pairs.v0), 
idbits_numbered AS 
(SELECT idbits_held.home AS home, idbits_held.p AS p, CASE WHEN (idbits_held.p IS NULL) THEN row_number() OVER (PARTITION BY idbits_held.p ORDER BY idbits_held.home, idbits_held.v0) ELSE 0 END AS own, CASE WHEN (idbits_held.p IS NULL) THEN idbits_held.n_rows ELSE 1 END AS people, dense_rank() OVER (ORDER BY idbits_held.v0) AS value_number 
FROM idbits_held), 
idbits_sized_value_number AS 
(SELECT idbits_numbered.home AS home, idbits_numbered.p AS p, idbits_numbered.own AS own, idbits_numbered.people AS people, idbits_numbered.value_number AS value_number, sum(idbits_numbered.people) OVER (PARTITION BY idbits_numbered.value_number) AS group_size, CASE WHEN (idbits_numbered.home IS NULL) THEN idbits_numbered.people WHEN (row_number() OVER (PARTITION BY idbits_numbered.value_number, idbits_numbered.home ORDER BY idbits_numbered.value_number) = 1) THEN 1 ELSE 0 END AS adds 
FROM idbits_numbered), 
idbits_marked_value_number AS 
(SELECT idbits_sized_value_number.home AS home, idbits_sized_value_number.p AS p, idbits_sized_value_number.own AS own, idbits_sized_value_number.people AS people, idbits_sized_value_number.value_number AS value_number, idbits_sized_value_number.group_size AS group_size, CASE WHEN (sum(idbits_sized_value_number.adds) OVER (PARTITION BY idbits_sized_value_number.value_number) = 1) THEN 1 ELSE 0 END AS is_only 
FROM idbits_sized_value_number), 
idbits_value_lists AS 
(SELECT idbits_marked_value_number.home AS home, max(idbits_marked_value_number.people) AS people, min(idbits_marked_value_number.group_size) AS group_size, max(idbits_marked_value_number.is_only) AS is_only, listagg(CAST(idbits_marked_value_number.value_number AS VARCHAR), ',') WITHIN GROUP (ORDER BY CAST(idbits_marked_value_number.value_number AS VARCHAR)) AS listed, 0 AS is_cut 
FROM idbits_marked_value_number GROUP BY idbits_marked_value_number.home, idbits_marked_value_number.p, idbits_marked_value_number.own), 
idbits_sets AS 
(SELECT idbits_value_lists.home AS home, idbits_value_lists.people AS people, idbits_value_lists.group_size AS group_size, idbits_value_lists.is_only AS is_only, idbits_value_lists.is_cut AS is_cut, dense_rank() OVER (ORDER BY collate(idbits_value_lists.listed, '')) AS set_number 
FROM idbits_value_lists), 
idbits_kept AS 
(SELECT idbits_sets.home AS home, idbits_sets.people AS people, idbits_sets.set_number AS set_number, idbits_sets.is_cut AS is_cut 
FROM idbits_sets), 
idbits_sized_set_number AS 
(SELECT idbits_kept.home AS home, idbits_kept.people AS people, idbits_kept.set_number AS set_number, idbits_kept.is_cut AS is_cut, sum(idbits_kept.people) OVER (PARTITION BY idbits_kept.set_number) AS group_size, CASE WHEN (idbits_kept.home IS NULL) THEN idbits_kept.people WHEN (row_number() OVER (PARTITION BY idbits_kept.set_number, idbits_kept.home ORDER BY idbits_kept.set_number) = 1) THEN 1 ELSE 0 END AS adds 
FROM idbits_kept), 
idbits_marked_set_number AS 
(SELECT idbits_sized_set_number.home AS home, idbits_sized_set_number.people AS people, idbits_sized_set_number.set_number AS set_number, idbits_sized_set_number.is_cut AS is_cut, idbits_sized_set_number.group_size AS group_size, CASE WHEN (sum(idbits_sized_set_number.adds) OVER (PARTITION BY idbits_sized_set_number.set_number) = 1) THEN 1 ELSE 0 END AS is_only 
FROM idbits_sized_set_number), 
idbits_placed AS 
(SELECT idbits_marked_set_number.home AS home, CASE WHEN (idbits_marked_set_number.home IS NULL) THEN row_number() OVER (PARTITION BY idbits_marked_set_number.home ORDER BY idbits_marked_set_number.set_number) ELSE 0 END AS own, CASE WHEN (idbits_marked_set_number.home IS NULL) THEN idbits_marked_set_number.people ELSE 1 END AS homes, CASE WHEN (idbits_marked_set_number.home IS NULL) THEN 1 ELSE idbits_marked_set_number.people END AS members, idbits_marked_set_number.group_size AS group_size, idbits_marked_set_number.is_only AS is_only, idbits_marked_set_number.is_cut AS is_cut 
FROM idbits_marked_set_number), 
idbits_counted AS 
(SELECT idbits_placed.home AS home, idbits_placed.own AS own, idbits_placed.group_size AS group_size, max(idbits_placed.homes) AS homes, sum(idbits_placed.members) AS members, max(idbits_placed.is_only) AS is_only, max(idbits_placed.is_cut) AS was_cut 
FROM idbits_placed GROUP BY idbits_placed.home, idbits_placed.own, idbits_placed.group_size), 
idbits_home_lists AS 
(SELECT max(idbits_counted.homes) AS homes, sum(idbits_counted.members) AS members, max(idbits_counted.is_only) AS is_only, max(idbits_counted.was_cut) AS was_cut, listagg(concat(CAST(idbits_counted.group_size AS VARCHAR), ':', CAST(idbits_counted.members AS VARCHAR)), ',') WITHIN GROUP (ORDER BY concat(CAST(idbits_counted.group_size AS VARCHAR), ':', CAST(idbits_counted.members AS VARCHAR))) AS listed, 0 AS is_cut 
FROM idbits_counted GROUP BY idbits_counted.home, idbits_counted.own), 
idbits_homes AS 
(SELECT idbits_home_lists.homes AS homes, idbits_home_lists.members AS members, idbits_home_lists.is_only AS is_only, idbits_home_lists.listed AS listed, CASE WHEN (idbits_home_lists.was_cut + idbits_home_lists.is_cut > 0) THEN 1 ELSE 0 END AS is_cut 
FROM idbits_home_lists)
 SELECT min(idbits_homes.listed) AS min_1, idbits_homes.is_only, sum(idbits_homes.homes) AS sum_1, max(idbits_homes.is_cut) AS max_1 
FROM idbits_homes GROUP BY collate(idbits_homes.listed, ''), idbits_homes.is_only;

-- compositions of households
WITH idbits_named AS 
(SELECT CASE WHEN (sets.g0 IS NOT NULL) THEN dense_rank() OVER (ORDER BY sets.g0) END AS named, sets.g1 AS p, sets.g2 AS v0, sets.people AS n_rows 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT collate(registry.people.zip, '') AS k0, collate(CAST(registry.people.code AS VARCHAR), '') AS k1, registry.people.age AS k2 
FROM registry.people) AS t GROUP BY t.k0, t.k1, t.k2) AS sets 
WHERE sets.g1 IS NOT NULL), 
idbits_pairs AS 
(SELECT idbits_named.named AS named, idbits_named.p AS p, idbits_named.v0 AS v0, idbits_named.n_rows AS n_rows, CASE WHEN (idbits_named.p IS NULL) THEN idbits_named.named ELSE min(idbits_named.named) OVER (PARTITION BY idbits_named.p) END AS low, CASE WHEN (idbits_named.p IS NULL) THEN idbits_named.named ELSE max(idbits_named.named) OVER (PARTITION BY idbits_named.p) END AS high 
FROM idbits_named), 
idbits_held AS 
(SELECT idbits_pairs.low AS home, idbits_pairs.p AS p, idbits_pairs.v0 AS v0, sum(idbits_pairs.n_rows) AS n_rows 
FROM idbits_pairs GROUP BY idbits_pairs.low, idbits_pairs.p, idbits_pairs.v0), 
idbits_numbered AS 
(SELECT idbits_held.home AS home, idbits_held.p AS p, CASE WHEN (idbits_held.p IS NULL) THEN row_number() OVER (PARTITION BY idbits_held.p ORDER BY idbits_held.home, idbits_held.v0) ELSE 0 END AS own, CASE WHEN (idbits_held.p IS NULL) THEN idbits_held.n_rows ELSE 1 END AS people, dense_rank() OVER (ORDER BY idbits_held.v0) AS value_number 
FROM idbits_held), 
idbits_sized_value_number AS 
(SELECT idbits_numbered.home AS home, idbits_numbered.p AS p, idbits_numbered.own AS own, idbits_numbered.people AS people, idbits_numbered.value_number AS value_number, sum(idbits_numbered.people) OVER (PARTITION BY idbits_numbered.value_number) AS group_size, CASE WHEN (idbits_numbered.home IS NULL) THEN idbits_numbered.people WHEN (row_number() OVER (PARTITION BY idbits_numbered.value_number, idbits_numbered.home ORDER BY idbits_numbered.value_number) = 1) THEN 1 ELSE 0 END AS adds 
FROM idbits_numbered), 
idbits_marked_value_number AS 
(SELECT idbits_sized_value_number.home AS home, idbits_sized_value_number.p AS p, idbits_sized_value_number.own AS own, idbits_sized_value_number.people AS people, idbits_sized_value_number.value_number AS value_number, idbits_sized_value_number.group_size AS group_size, CASE WHEN (sum(idbits_sized_value_number.adds) OVER (PARTITION BY idbits_sized_value_number.value_number) = 1) THEN 1 ELSE 0 END AS is_only 
FROM idbits_sized_value_number), 
idbits_value_lists AS 
(SELECT idbits_marked_value_number.home AS home, max(idbits_marked_value_number.people) AS people, min(idbits_marked_value_number.group_size) AS group_size, max(idbits_marked_value_number.is_only) AS is_only, listagg(CAST(idbits_marked_value_number.value_number AS VARCHAR), ',') WITHIN GROUP (ORDER BY CAST(idbits_marked_value_number.value_number AS VARCHAR)) AS listed, 0 AS is_cut 
FROM idbits_marked_value_number GROUP BY idbits_marked_value_number.home, idbits_marked_value_number.p, idbits_marked_value_number.own), 
idbits_sets AS 
(SELECT idbits_value_lists.home AS home, idbits_value_lists.people AS people, idbits_value_lists.group_size AS group_size, idbits_value_lists.is_only AS is_only, idbits_value_lists.is_cut AS is_cut, dense_rank() OVER (ORDER BY collate(idbits_value_lists.listed, '')) AS set_number 
FROM idbits_value_lists), 
idbits_kept AS 
(SELECT idbits_sets.home AS home, idbits_sets.people AS people, idbits_sets.set_number AS set_number, idbits_sets.is_cut AS is_cut 
FROM idbits_sets), 
idbits_sized_set_number AS 
(SELECT idbits_kept.home AS home, idbits_kept.people AS people, idbits_kept.set_number AS set_number, idbits_kept.is_cut AS is_cut, sum(idbits_kept.people) OVER (PARTITION BY idbits_kept.set_number) AS group_size, CASE WHEN (idbits_kept.home IS NULL) THEN idbits_kept.people WHEN (row_number() OVER (PARTITION BY idbits_kept.set_number, idbits_kept.home ORDER BY idbits_kept.set_number) = 1) THEN 1 ELSE 0 END AS adds 
FROM idbits_kept), 
idbits_marked_set_number AS 
(SELECT idbits_sized_set_number.home AS home, idbits_sized_set_number.people AS people, idbits_sized_set_number.set_number AS set_number, idbits_sized_set_number.is_cut AS is_cut, idbits_sized_set_number.group_size AS group_size, CASE WHEN (sum(idbits_sized_set_number.adds) OVER (PARTITION BY idbits_sized_set_number.set_number) = 1) THEN 1 ELSE 0 END AS is_only 
FROM idbits_sized_set_number), 
idbits_placed AS 
(SELECT idbits_marked_set_number.home AS home, CASE WHEN (idbits_marked_set_number.home IS NULL) THEN row_number() OVER (PARTITION BY idbits_marked_set_number.home ORDER BY idbits_marked_set_number.set_number) ELSE 0 END AS own, CASE WHEN (idbits_marked_set_number.home IS NULL) THEN idbits_marked_set_number.people ELSE 1 END AS homes, CASE WHEN (idbits_marked_set_number.home IS NULL) THEN 1 ELSE idbits_marked_set_number.people END AS members, idbits_marked_set_number.set_number AS set_number, idbits_marked_set_number.is_only AS is_only, idbits_marked_set_number.is_cut AS is_cut 
FROM idbits_marked_set_number), 
idbits_counted AS 
(SELECT idbits_placed.home AS home, idbits_placed.own AS own, idbits_placed.set_number AS set_number, max(idbits_placed.homes) AS homes, sum(idbits_placed.members) AS members, max(idbits_placed.is_only) AS is_only, max(idbits_placed.is_cut) AS was_cut 
FROM idbits_placed GROUP BY idbits_placed.home, idbits_placed.own, idbits_placed.set_number), 
idbits_home_lists AS 
(SELECT max(idbits_counted.homes) AS homes, sum(idbits_counted.members) AS members, max(idbits_counted.is_only) AS is_only, max(idbits_counted.was_cut) AS was_cut, listagg(concat(CAST(idbits_counted.set_number AS VARCHAR), ':', CAST(idbits_counted.members AS VARCHAR)), ',') WITHIN GROUP (ORDER BY concat(CAST(idbits_counted.set_number AS VARCHAR), ':', CAST(idbits_counted.members AS VARCHAR))) AS listed, 0 AS is_cut 
FROM idbits_counted GROUP BY idbits_counted.home, idbits_counted.own), 
idbits_homes AS 
(SELECT idbits_home_lists.homes AS homes, idbits_home_lists.members AS members, idbits_home_lists.is_only AS is_only, idbits_home_lists.listed AS listed, CASE WHEN (idbits_home_lists.was_cut + idbits_home_lists.is_cut > 0) THEN 1 ELSE 0 END AS is_cut 
FROM idbits_home_lists), 
idbits_alike AS 
(SELECT sum(idbits_homes.homes) AS households, max(idbits_homes.members) AS members, max(idbits_homes.is_cut) AS is_cut 
FROM idbits_homes GROUP BY collate(idbits_homes.listed, ''))
 SELECT idbits_alike.households, idbits_alike.members, count(*) AS count_1, max(idbits_alike.is_cut) AS max_1 
FROM idbits_alike GROUP BY idbits_alike.households, idbits_alike.members;
