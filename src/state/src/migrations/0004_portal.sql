-- Who may manage the keys of all owners, and which keys live by another one.
ALTER TABLE keys ADD COLUMN is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1));
-- The key whose allowance this one shares, and with which it is revoked; null: it stands by itself.
ALTER TABLE keys ADD COLUMN parent INTEGER REFERENCES keys (id);

CREATE INDEX keys_of_parent ON keys (parent) WHERE parent IS NOT NULL;

-- Browsers that are signed in, by the hash of what their cookie holds.
CREATE TABLE web_sessions (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    hash         BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    key_id       INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    browser      TEXT    NOT NULL,   -- what the browser said of itself, cut
    made_at      INTEGER NOT NULL,   -- Unix seconds, as all times here
    last_used_at INTEGER NOT NULL    -- right to a minute
) STRICT;

CREATE INDEX web_sessions_of_key ON web_sessions (key_id);

-- Sign-in codes that were printed and not used yet, by their hash.
CREATE TABLE sign_in_codes (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    key_id     INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was done with keys and sessions: written once, never changed.
CREATE TABLE activity (
    number INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    owner  TEXT    NOT NULL,   -- whose keys it was about
    actor  INTEGER,            -- the key that did it; null: the command line
    what   TEXT    NOT NULL,
    key_id INTEGER,            -- the key that it was done to
    detail TEXT    NOT NULL
) STRICT;

CREATE INDEX activity_of_owner ON activity (owner, number);

-- What each key called, by day and operation.
CREATE TABLE usage (
    key_id    INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    day       INTEGER NOT NULL,   -- numbers of days, counted by whoever writes them
    operation TEXT    NOT NULL,
    calls     INTEGER NOT NULL,
    refused   INTEGER NOT NULL,
    PRIMARY KEY (key_id, day, operation)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_day ON usage (day);
