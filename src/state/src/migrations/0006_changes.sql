-- What changed, the newest last: a server follows these lines and not whole tables. Ten thousand are kept; a server that has seen
-- none of them reads everything.
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT    NOT NULL,
    id     INTEGER NOT NULL
) STRICT;

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

-- Of tokens the key is told: it has few.
CREATE TRIGGER token_made    AFTER INSERT ON app_tokens BEGIN INSERT INTO changes (kind, id) VALUES ('token', new.key_id); END;
CREATE TRIGGER token_deleted AFTER DELETE ON app_tokens BEGIN INSERT INTO changes (kind, id) VALUES ('token', old.key_id); END;

CREATE INDEX keys_of_owner ON keys (owner);
CREATE INDEX app_codes_of_parent ON app_codes (parent);

-- Whether a key that lives by another one may save and remove the owner's keys of model providers. One that stands by itself may.
ALTER TABLE keys ADD COLUMN may_account INTEGER NOT NULL DEFAULT 0 CHECK (may_account IN (0, 1));
ALTER TABLE app_codes ADD COLUMN may_account INTEGER NOT NULL DEFAULT 0 CHECK (may_account IN (0, 1));
-- A refresh token's successor, so that a repeat within seconds is told from a theft.
ALTER TABLE app_tokens ADD COLUMN successor BLOB;
