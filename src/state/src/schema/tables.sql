-- The tables of the state, in the types of SQLite. All times are Unix seconds.

-- Keys, by the hash of their text; the text itself is not stored.
CREATE TABLE keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    hint       TEXT    NOT NULL,   -- the first characters of the key, for a person to tell keys apart
    tier       TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    note       TEXT    NOT NULL,
    quota_day  INTEGER,            -- null: that of the tier
    quota_hour INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    -- An administrator manages the keys of all owners.
    is_admin   INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
    -- The key whose allowance this one shares, and with which it is revoked; null: an independent key.
    parent     INTEGER REFERENCES keys (id),
    -- Permission of a key with a parent to save and remove the owner's keys of model providers. An independent key has it.
    may_account INTEGER NOT NULL DEFAULT 0 CHECK (may_account IN (0, 1))
) STRICT;

CREATE INDEX keys_of_parent ON keys (parent) WHERE parent IS NOT NULL;
CREATE INDEX keys_of_owner ON keys (owner);

-- The usage of each key: in the newest day and hour of a call, and in total.
CREATE TABLE counters (
    key_id       INTEGER PRIMARY KEY REFERENCES keys (id) ON DELETE CASCADE,
    day          INTEGER NOT NULL, -- numbers of windows, which the writer counts
    day_used     INTEGER NOT NULL,
    hour         INTEGER NOT NULL,
    hour_used    INTEGER NOT NULL,
    total        INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
) STRICT;

-- Keys of language-model providers that callers stored, encrypted; the master key is not in this file.
CREATE TABLE provider_keys (
    owner       TEXT    NOT NULL,
    provider    TEXT    NOT NULL,
    sealed      BLOB    NOT NULL,
    masked      TEXT    NOT NULL,   -- the part that may be shown, for a person to tell keys apart
    preferred   INTEGER NOT NULL CHECK (preferred IN (0, 1)),
    saved_at    INTEGER NOT NULL,
    tested_at   INTEGER,
    test_result TEXT,
    PRIMARY KEY (owner, provider)
) STRICT;

-- An owner prefers one provider at most.
CREATE UNIQUE INDEX provider_keys_preferred ON provider_keys (owner) WHERE preferred = 1;

-- Long work, a row a job. Callers see four statuses; a job that waits is `running` with a null `worker`.
CREATE TABLE jobs (
    number            INTEGER PRIMARY KEY AUTOINCREMENT,
    kind              TEXT    NOT NULL,
    id                TEXT    NOT NULL,            -- the id that callers see; not to be guessed
    owner             TEXT    NOT NULL,
    key_id            INTEGER,                     -- null: a caller without a key
    spec              TEXT    NOT NULL,            -- JSON
    status            TEXT    NOT NULL DEFAULT 'running'
                      CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
    turn              INTEGER NOT NULL,            -- the place in the queue; owners take turns
    created_at        INTEGER NOT NULL,
    started_at        INTEGER,
    finished_at       INTEGER,
    not_before        INTEGER NOT NULL DEFAULT 0,  -- a job that was put back waits until then
    attempts          INTEGER NOT NULL DEFAULT 0,
    barren            INTEGER NOT NULL DEFAULT 0,  -- attempts since a step was last recorded
    step              TEXT    NOT NULL DEFAULT 'queued',
    agents_done       INTEGER NOT NULL DEFAULT 0,
    agents            INTEGER NOT NULL DEFAULT 0,
    input_tokens      INTEGER NOT NULL DEFAULT 0,
    output_tokens     INTEGER NOT NULL DEFAULT 0,
    cost_microusd     INTEGER NOT NULL DEFAULT 0,
    most_tokens       INTEGER,                     -- the budget; null: none
    most_microusd     INTEGER,
    worker            TEXT,                        -- the run id of the worker that holds it
    lease_until       INTEGER,
    cancel_ack        INTEGER NOT NULL DEFAULT 0,  -- 1: the worker of a cancelled job has released it
    error             TEXT,
    report            TEXT,                        -- JSON; last, so that other columns are read without it
    UNIQUE (kind, id)
) STRICT;

CREATE INDEX jobs_waiting  ON jobs (turn, number) WHERE status = 'running';
CREATE INDEX jobs_begun    ON jobs (turn) WHERE attempts > 0;
CREATE INDEX jobs_of_owner ON jobs (owner, kind, number);
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;

-- Finished steps of a job: written once, never changed.
CREATE TABLE job_steps (
    number        INTEGER PRIMARY KEY,
    job           INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    step          TEXT    NOT NULL,
    output        TEXT    NOT NULL,                -- JSON
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_microusd INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    UNIQUE (job, step)
) STRICT;

-- Runs that count against a key's limit: a row a job, deleted if the job never ran. A key that replaces another has a copy of its
-- rows.
CREATE TABLE job_runs (
    job    INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    key_id INTEGER,
    kind   TEXT    NOT NULL,
    at     INTEGER NOT NULL
) STRICT;

CREATE INDEX job_runs_of_key ON job_runs (kind, key_id, at);
CREATE INDEX job_runs_of_job ON job_runs (job);

-- Browsers that are signed in, by the hash of their cookie's value.
CREATE TABLE web_sessions (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    hash         BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    key_id       INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    browser      TEXT    NOT NULL,   -- the user agent of the browser, shortened
    made_at      INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL    -- exact to a minute
) STRICT;

CREATE INDEX web_sessions_of_key ON web_sessions (key_id);

-- Sign-in codes that were printed and not used yet, by their hash.
CREATE TABLE sign_in_codes (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    key_id     INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Actions on keys and sessions: written once, never changed.
CREATE TABLE activity (
    number INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    owner  TEXT    NOT NULL,   -- the owner of the keys
    actor  INTEGER,            -- the key that acted; null: the command line
    what   TEXT    NOT NULL,
    key_id INTEGER,            -- the key that was changed
    detail TEXT    NOT NULL
) STRICT;

CREATE INDEX activity_of_owner ON activity (owner, number);

-- Calls of each key, by day and operation.
CREATE TABLE usage (
    key_id    INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    day       INTEGER NOT NULL,   -- numbers of days, which the writer counts
    operation TEXT    NOT NULL,
    calls     INTEGER NOT NULL,
    refused   INTEGER NOT NULL,
    PRIMARY KEY (key_id, day, operation)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_day ON usage (day);

-- The secret that signs the numbers of registered apps: 32 random bytes, made once.
CREATE TABLE app_secret (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    bytes    BLOB    NOT NULL CHECK (length(bytes) = 32)
) STRICT;

-- Codes that an owner's consent gave an app, by their hash. A code is exchanged once; the key that it became is stored, so that a
-- second exchange revokes it.
CREATE TABLE app_codes (
    hash         BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    parent       INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    app          TEXT    NOT NULL,   -- the client id
    app_name     TEXT    NOT NULL,
    tier         TEXT    NOT NULL,
    redirect_uri TEXT    NOT NULL,
    challenge    TEXT    NOT NULL,
    expires_at   INTEGER NOT NULL,
    key_id       INTEGER REFERENCES keys (id) ON DELETE CASCADE,
    may_account  INTEGER NOT NULL DEFAULT 0 CHECK (may_account IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX app_codes_of_parent ON app_codes (parent);

-- Tokens of apps, by their hash. The key of a token has no known text: only tokens lead to it.
CREATE TABLE app_tokens (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    kind       TEXT    NOT NULL CHECK (kind IN ('access', 'refresh')),
    key_id     INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    app        TEXT    NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,              -- of a refresh token that was exchanged for another
    successor  BLOB                  -- of a refresh token: the next one, so that a repeat within seconds is no theft
) STRICT, WITHOUT ROWID;

CREATE INDEX app_tokens_of_key ON app_tokens (key_id);

-- Servers that count calls, each under a number that is used once. A server that was not seen for a while has ended.
CREATE TABLE servers (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    seen_at INTEGER NOT NULL
) STRICT;

-- Calls of a key's quota that one server may admit by itself; they count as used for all others. A lease is of one hour, and of its
-- day. The leases of a killed server remain until then.
CREATE TABLE leases (
    key_id INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    server INTEGER NOT NULL,
    day    INTEGER NOT NULL,          -- numbers of windows, as those of counters
    hour   INTEGER NOT NULL,
    calls  INTEGER NOT NULL CHECK (calls > 0),
    PRIMARY KEY (key_id, server)
) STRICT, WITHOUT ROWID;

-- Items that owners save: lists of symbols and screens under names of their own, and drawings and notes under the symbol of their stock.
-- The ledger of a screen has its name; lines are only added to it.
CREATE TABLE kept (
    owner      TEXT    NOT NULL,
    kind       TEXT    NOT NULL CHECK (kind IN ('list', 'screen', 'drawings', 'note', 'backtests', 'ledger')),
    market     TEXT    NOT NULL,
    name       TEXT    NOT NULL COLLATE NOCASE,
    content    TEXT    NOT NULL,   -- of a list its symbols, separated by commas; of a screen its page and query, then its stocks on two sessions; of drawings a line each; of a note its text
    share      TEXT    UNIQUE,     -- the hash of the random text by which others read it; null: not shared
    made_at    INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (owner, kind, market, name)
) STRICT;

-- Changes, the newest last: a server follows these rows and not whole tables. Ten thousand are stored; a server that has seen none
-- of them reads everything.
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT    NOT NULL,
    id     INTEGER NOT NULL
) STRICT;
