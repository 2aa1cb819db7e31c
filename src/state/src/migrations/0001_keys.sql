-- Keys, by the hash of their text; the text itself is nowhere.
CREATE TABLE keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    hint       TEXT    NOT NULL,   -- the first characters of the key, for a person to tell keys apart
    tier       TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    note       TEXT    NOT NULL,
    quota_day  INTEGER,            -- null: that of the tier
    quota_hour INTEGER,
    created_at INTEGER NOT NULL,   -- Unix seconds, as all times here
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

-- What each key used: in the newest day and hour that it was used in, and in all.
CREATE TABLE counters (
    key_id       INTEGER PRIMARY KEY REFERENCES keys (id) ON DELETE CASCADE,
    day          INTEGER NOT NULL, -- numbers of windows, counted by whoever writes them
    day_used     INTEGER NOT NULL,
    hour         INTEGER NOT NULL,
    hour_used    INTEGER NOT NULL,
    total        INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
) STRICT;
