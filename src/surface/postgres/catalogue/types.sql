-- The types, as `format_type` writes them.
SELECT oid, formatted
FROM   pg_type
