-- The triggers of a SQLite file, which note every change.
CREATE TRIGGER changes_kept AFTER INSERT ON changes BEGIN
    DELETE FROM changes WHERE number <= new.number - 10000;
END;

CREATE TRIGGER key_made    AFTER INSERT ON keys BEGIN INSERT INTO changes (kind, id) VALUES ('key', new.id); END;
CREATE TRIGGER key_changed AFTER UPDATE ON keys BEGIN INSERT INTO changes (kind, id) VALUES ('key', new.id); END;
CREATE TRIGGER key_deleted AFTER DELETE ON keys BEGIN INSERT INTO changes (kind, id) VALUES ('key', old.id); END;

CREATE TRIGGER counter_made    AFTER INSERT ON counters BEGIN INSERT INTO changes (kind, id) VALUES ('counter', new.key_id); END;
CREATE TRIGGER counter_changed AFTER UPDATE ON counters BEGIN INSERT INTO changes (kind, id) VALUES ('counter', new.key_id); END;

CREATE TRIGGER session_made    AFTER INSERT ON web_sessions BEGIN INSERT INTO changes (kind, id) VALUES ('session', new.number); END;
CREATE TRIGGER session_changed AFTER UPDATE ON web_sessions BEGIN INSERT INTO changes (kind, id) VALUES ('session', new.number); END;
CREATE TRIGGER session_deleted AFTER DELETE ON web_sessions BEGIN INSERT INTO changes (kind, id) VALUES ('session', old.number); END;

-- A change of a token names its key, which has few.
CREATE TRIGGER token_made    AFTER INSERT ON app_tokens BEGIN INSERT INTO changes (kind, id) VALUES ('token', new.key_id); END;
CREATE TRIGGER token_deleted AFTER DELETE ON app_tokens BEGIN INSERT INTO changes (kind, id) VALUES ('token', old.key_id); END;
