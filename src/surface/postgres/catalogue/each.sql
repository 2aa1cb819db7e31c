-- The rows of a function that makes some: its name and its argument are put in where it is called.
SELECT value AS "name"
FROM   json_each('[]')
