-- 20,000 invented people. The numbers are mixed by multiplication, so that everyone gets the same table.
CREATE TABLE people (birthdate date NOT NULL, zip char(4) NOT NULL, gender char(1) NOT NULL);

INSERT INTO people
SELECT
    date '1930-01-01' + ((n * 48271) % 2147483647 % 33000)::integer,
    (1000 + ((n * 69621) % 2147483647 % 90) * ((n * 69621) % 2147483647 % 97) / 10)::text,
    CASE (n * 104729) % 2 WHEN 0 THEN 'F' ELSE 'M' END
FROM generate_series(1::bigint, 20000) AS n;

ANALYZE people;
