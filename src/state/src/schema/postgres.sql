-- PostgreSQL's own part of the state, after `tables.sql` in its types. Integers are BIGINT, also those that say yes or no. Texts that are
-- sorted are sorted by their bytes.
CREATE TABLE parquote_schema (version BIGINT NOT NULL);

-- What the statements use of SQLite's functions.
CREATE FUNCTION max(a BIGINT, b BIGINT) RETURNS BIGINT IMMUTABLE LANGUAGE sql AS
    'SELECT CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE greatest(a, b) END';
CREATE FUNCTION min(a BIGINT, b BIGINT) RETURNS BIGINT IMMUTABLE LANGUAGE sql AS
    'SELECT CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE least(a, b) END';
CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (value TEXT) IMMUTABLE LANGUAGE sql AS
    'SELECT json_array_elements_text(list::json)';

ALTER TABLE keys ALTER CONSTRAINT keys_parent_fkey DEFERRABLE;
ALTER TABLE provider_keys ALTER COLUMN provider TYPE TEXT COLLATE "C";
ALTER TABLE usage ALTER COLUMN operation TYPE TEXT COLLATE "C";
ALTER TABLE counters SET (fillfactor = 50);
ALTER TABLE leases SET (fillfactor = 50);

-- Capitals of a name do not matter; those of ASCII, as in SQLite.
ALTER TABLE kept DROP CONSTRAINT kept_pkey;
CREATE UNIQUE INDEX kept_by_name ON kept (owner, kind, market, lower(name));

-- As one server writes at a time, a change with a higher number was committed later. The number of the newest also tells that a server
-- came or went, or that a job waits or ended: SQLite tells of any change by itself.
CREATE FUNCTION note_change(kind TEXT, id BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    newest BIGINT;
BEGIN
    INSERT INTO changes (kind, id) VALUES (note_change.kind, note_change.id) RETURNING number INTO newest;
    -- Ten thousand are kept, and what came since they were last counted.
    IF newest % 1000 = 0 THEN
        DELETE FROM changes WHERE number <= newest - 10000;
    END IF;
END $$;

CREATE FUNCTION key_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM note_change('key', coalesce(new.id, old.id)); RETURN NULL; END $$;
CREATE FUNCTION counter_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM note_change('counter', new.key_id); RETURN NULL; END $$;
CREATE FUNCTION session_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM note_change('session', coalesce(new.number, old.number)); RETURN NULL; END $$;
CREATE FUNCTION token_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM note_change('token', coalesce(new.key_id, old.key_id)); RETURN NULL; END $$;
CREATE FUNCTION server_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM note_change('server', coalesce(new.id, old.id)); RETURN NULL; END $$;
CREATE FUNCTION job_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM note_change('job', new.number); RETURN NULL; END $$;

CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON keys FOR EACH ROW EXECUTE FUNCTION key_changed();
CREATE TRIGGER counter_changed AFTER INSERT OR UPDATE ON counters FOR EACH ROW EXECUTE FUNCTION counter_changed();
CREATE TRIGGER session_changed AFTER INSERT OR UPDATE OR DELETE ON web_sessions FOR EACH ROW EXECUTE FUNCTION session_changed();
CREATE TRIGGER token_changed AFTER INSERT OR DELETE ON app_tokens FOR EACH ROW EXECUTE FUNCTION token_changed();
CREATE TRIGGER server_changed AFTER INSERT OR DELETE ON servers FOR EACH ROW EXECUTE FUNCTION server_changed();
CREATE TRIGGER job_made AFTER INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION job_changed();
CREATE TRIGGER job_changed AFTER UPDATE ON jobs FOR EACH ROW
    WHEN (new.status <> old.status OR (new.worker IS NULL AND old.worker IS NOT NULL)) EXECUTE FUNCTION job_changed();
