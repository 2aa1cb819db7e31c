-- What signs the numbers of apps that register here: 32 random bytes, made once.
CREATE TABLE app_secret (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    bytes    BLOB    NOT NULL CHECK (length(bytes) = 32)
) STRICT;

-- Codes that an owner's consent gave an app, by their hash. A code is exchanged once; which key it became is kept, so that a
-- second exchange ends it.
CREATE TABLE app_codes (
    hash         BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    parent       INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    app          TEXT    NOT NULL,   -- the client id
    app_name     TEXT    NOT NULL,
    tier         TEXT    NOT NULL,
    redirect_uri TEXT    NOT NULL,
    challenge    TEXT    NOT NULL,
    expires_at   INTEGER NOT NULL,   -- Unix seconds, as all times here
    key_id       INTEGER REFERENCES keys (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Tokens of apps, by their hash. The key of a token has no text that anybody knows: it is reached by tokens alone.
CREATE TABLE app_tokens (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    kind       TEXT    NOT NULL CHECK (kind IN ('access', 'refresh')),
    key_id     INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    app        TEXT    NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER               -- of a refresh token that was exchanged for another
) STRICT, WITHOUT ROWID;

CREATE INDEX app_tokens_of_key ON app_tokens (key_id);
