-- Keys of language-model providers that callers stored, sealed; what opens them is not in this file.
CREATE TABLE provider_keys (
    owner       TEXT    NOT NULL,
    provider    TEXT    NOT NULL,
    sealed      BLOB    NOT NULL,
    masked      TEXT    NOT NULL,   -- what may be shown, for a person to tell keys apart
    preferred   INTEGER NOT NULL CHECK (preferred IN (0, 1)),
    saved_at    INTEGER NOT NULL,   -- Unix seconds, as all times here
    tested_at   INTEGER,
    test_result TEXT,
    PRIMARY KEY (owner, provider)
) STRICT;

-- An owner prefers one provider at most.
CREATE UNIQUE INDEX provider_keys_preferred ON provider_keys (owner) WHERE preferred = 1;
