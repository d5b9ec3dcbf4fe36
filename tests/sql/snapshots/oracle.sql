-- how many people
SELECT coalesce(count(*), 0) AS coalesce_1 
FROM (SELECT 1 AS one 
FROM registry.people) t;

-- spectrum of all kinds
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, count(*) AS people 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0, trunc(registry.people.born, 'MM') AS k1, CAST(registry.people.age AS NUMBER) - mod(mod(CAST(registry.people.age AS NUMBER), 5) + 5, 5) AS k2, CASE WHEN (CAST(registry.people.income AS NUMBER) < 0) THEN -((abs(CAST(registry.people.income AS NUMBER)) + 0.25) - mod(abs(CAST(registry.people.income AS NUMBER)) + 0.25, 0.5)) ELSE (abs(CAST(registry.people.income AS NUMBER)) + 0.25) - mod(abs(CAST(registry.people.income AS NUMBER)) + 0.25, 0.5) END AS k3, substr(registry.people.sex, 1, 2) COLLATE "BINARY" AS k4 
FROM registry.people) t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4) sets GROUP BY sets.people;

-- spectrum of columns as they are
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, t.k3 AS g3, t.k4 AS g4, t.k5 AS g5, t.k6 AS g6, count(*) AS people 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0, registry.people.born AS k1, registry.people.seen AS k2, registry.people.age AS k3, registry.people.income AS k4, registry.people.height AS k5, CAST(registry.people.code AS VARCHAR2(4000 CHAR)) COLLATE "BINARY" AS k6 
FROM registry.people) t GROUP BY t.k0, t.k1, t.k2, t.k3, t.k4, t.k5, t.k6) sets GROUP BY sets.people;

-- weeks
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT trunc(registry.people.born, 'IW') AS k0, trunc(registry.people.seen, 'IW') AS k1 
FROM registry.people) t GROUP BY t.k0, t.k1) sets GROUP BY sets.people;

-- quarters
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT trunc(registry.people.born, 'Q') AS k0, trunc(registry.people.seen, 'Q') AS k1 
FROM registry.people) t GROUP BY t.k0, t.k1) sets GROUP BY sets.people;

-- years, days and months of the year
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT CAST(EXTRACT(year FROM registry.people.born) AS INTEGER) AS k0, trunc(registry.people.seen) AS k1, CAST(EXTRACT(month FROM registry.people.seen) AS INTEGER) AS k2 
FROM registry.people) t GROUP BY t.k0, t.k1, t.k2) sets GROUP BY sets.people;

-- caps and rounded whole numbers
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT CAST(CASE WHEN (CAST(registry.people.age AS NUMBER) > 90) THEN 90 ELSE CAST(registry.people.age AS NUMBER) END AS NUMBER) - mod(mod(CAST(CASE WHEN (CAST(registry.people.age AS NUMBER) > 90) THEN 90 ELSE CAST(registry.people.age AS NUMBER) END AS NUMBER), 5) + 5, 5) AS k0, CASE WHEN (CAST(registry.people.age AS NUMBER) < 0) THEN -((abs(CAST(registry.people.age AS NUMBER)) + 5) - mod(abs(CAST(registry.people.age AS NUMBER)) + 5, 10)) ELSE (abs(CAST(registry.people.age AS NUMBER)) + 5) - mod(abs(CAST(registry.people.age AS NUMBER)) + 5, 10) END AS k1, CAST(registry.people.height AS NUMBER) - mod(mod(CAST(registry.people.height AS NUMBER), 0.5) + 0.5, 0.5) AS k2 
FROM registry.people) t GROUP BY t.k0, t.k1, t.k2) sets GROUP BY sets.people;

-- digits
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT substr(CAST(registry.people.age AS VARCHAR2(4000 CHAR)), 1, 1) COLLATE "BINARY" AS k0 
FROM registry.people) t GROUP BY t.k0) sets GROUP BY sets.people;

-- top
SELECT sets.people, count(*) AS count_1 
FROM (SELECT CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END AS o0, top0.kept AS g0, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END AS o1, top1.kept AS g1, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END AS o2, top2.kept AS g2, count(*) AS people 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0, registry.people.age AS k1, registry.people.born AS k2 
FROM registry.people) t LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0 
FROM registry.people) r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, r.k0
 FETCH FIRST 3 ROWS ONLY) ranked) top0 ON t.k0 = top0.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.age AS k0 
FROM registry.people) r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, CAST(r.k0 AS VARCHAR2(4000 CHAR)) COLLATE "BINARY"
 FETCH FIRST 5 ROWS ONLY) ranked) top1 ON t.k1 = top1.kept LEFT OUTER JOIN (SELECT ranked.kept AS kept 
FROM (SELECT r.k0 AS kept 
FROM (SELECT registry.people.born AS k0 
FROM registry.people) r 
WHERE r.k0 IS NOT NULL GROUP BY r.k0 ORDER BY count(*) DESC, CAST(r.k0 AS VARCHAR2(4000 CHAR)) COLLATE "BINARY"
 FETCH FIRST 2 ROWS ONLY) ranked) top2 ON t.k2 = top2.kept GROUP BY CASE WHEN (t.k0 IS NOT NULL AND top0.kept IS NULL) THEN 1 ELSE 0 END, top0.kept, CASE WHEN (t.k1 IS NOT NULL AND top1.kept IS NULL) THEN 1 ELSE 0 END, top1.kept, CASE WHEN (t.k2 IS NOT NULL AND top2.kept IS NULL) THEN 1 ELSE 0 END, top2.kept) sets GROUP BY sets.people;

-- groups
SELECT numbered."number", numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END AS seen, count(*) AS count_1 
FROM (SELECT dense_rank() OVER (ORDER BY sets.g0) AS "number", sum(sets.people) OVER (PARTITION BY sets.g0) AS total, 0 AS other, sets.g0 AS value, sets.people AS people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, t.k2 AS g2, count(*) AS people 
FROM (SELECT registry.people.sex COLLATE "BINARY" AS k0, registry.people.zip COLLATE "BINARY" AS k1, CAST(registry.people.age AS NUMBER) - mod(mod(CAST(registry.people.age AS NUMBER), 10) + 10, 10) AS k2 
FROM registry.people) t GROUP BY t.k0, t.k1, t.k2) sets) numbered GROUP BY numbered."number", numbered.other, numbered.people, CASE WHEN (numbered.total >= 10) THEN numbered.value END;

-- values
SELECT sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0, CAST(EXTRACT(year FROM registry.people.born) AS INTEGER) AS k1 
FROM registry.people) t GROUP BY t.k0, t.k1) sets 
WHERE sets.people >= 10;

-- rarest values
SELECT sets.g0, sets.g1, sets.people 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, count(*) AS people 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0, registry.people.age AS k1 
FROM registry.people) t GROUP BY t.k0, t.k1) sets 
WHERE sets.people >= 1 ORDER BY sets.people, CASE WHEN (sets.g0 IS NULL) THEN 0 ELSE 1 END, sets.g0, CASE WHEN ((CAST(sets.g1 AS VARCHAR2(4000 CHAR)) COLLATE "BINARY") IS NULL) THEN 0 ELSE 1 END, CAST(sets.g1 AS VARCHAR2(4000 CHAR)) COLLATE "BINARY"
 FETCH FIRST 10 ROWS ONLY;

-- nulls
SELECT coalesce(count(*), 0) AS coalesce_1 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0 
FROM registry.people) t 
WHERE t.k0 IS NULL;

-- persons
SELECT count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT CAST(registry.people.code AS VARCHAR2(4000 CHAR)) COLLATE "BINARY" AS k0 
FROM registry.people) t GROUP BY t.k0) sets 
WHERE sets.people > 1 AND sets.g0 IS NOT NULL;

-- finite
SELECT coalesce(sum(CASE WHEN (t.v IS NOT NULL AND 1 != 1) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(CASE WHEN (t.v IS NOT NULL AND 1 = 1 AND CAST(t.v AS NUMBER) != t.v) THEN 1 ELSE 0 END), 0) AS coalesce_2 
FROM (SELECT registry.people.height AS v 
FROM registry.people) t;

-- filter
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, count(*) AS people 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0 
FROM registry.people 
WHERE (registry.people.zip COLLATE "BINARY" = 'it''s' COLLATE "BINARY") AND (registry.people.zip COLLATE "BINARY" < 'b' COLLATE "BINARY") AND (registry.people.sex LIKE 'F\_[%') AND ((registry.people.sex COLLATE "BINARY" = 'F' COLLATE "BINARY") OR (registry.people.sex COLLATE "BINARY" = 'M' COLLATE "BINARY")) AND (registry.people.age >= 18) AND (registry.people.age <= 90) AND NOT (registry.people.income IS NULL) AND (registry.people.born >= to_date('1990-05-01', 'YYYY-MM-DD')) AND (registry.people.seen < to_timestamp('2020-01-02 03:04:05.000000', 'YYYY-MM-DD HH24:MI:SS.FF6')) AND (registry.people.height > 1.5) AND NOT ((registry.people.zip COLLATE "BINARY" <> registry.people.sex COLLATE "BINARY") OR (registry.people.income = 1000.25))) t GROUP BY t.k0) sets GROUP BY sets.people;

-- counts
SELECT coalesce(sum(CASE WHEN (t.weight IS NULL) THEN 1 ELSE 0 END), 0) AS coalesce_1, coalesce(sum(t.weight), 0) AS coalesce_2 
FROM (SELECT CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) t;

-- counted
SELECT sets.people, count(*) AS count_1 
FROM (SELECT t.k0 AS g0, t.k1 AS g1, sum(t.weight) AS people 
FROM (SELECT registry.people.zip COLLATE "BINARY" AS k0, registry.people.sex COLLATE "BINARY" AS k1, CASE WHEN (registry.people.people >= 0 AND registry.people.people = floor(registry.people.people)) THEN registry.people.people END AS weight 
FROM registry.people) t GROUP BY t.k0, t.k1) sets GROUP BY sets.people;
