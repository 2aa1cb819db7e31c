-- What owners keep under names of their own: lists of symbols, and screens.
CREATE TABLE kept (
    owner      TEXT    NOT NULL,
    kind       TEXT    NOT NULL CHECK (kind IN ('list', 'screen')),
    market     TEXT    NOT NULL,
    name       TEXT    NOT NULL COLLATE NOCASE,
    content    TEXT    NOT NULL,   -- of a list its symbols with commas between, of a screen its page and query
    share      TEXT    UNIQUE,     -- the hash of the random text by which others read it; null: nobody else does
    made_at    INTEGER NOT NULL,   -- Unix seconds
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (owner, kind, market, name)
) STRICT;
