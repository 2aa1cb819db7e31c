-- Servers that count calls, each under a number that is used once. One that was not seen for a while has ended.
CREATE TABLE servers (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    seen_at INTEGER NOT NULL          -- Unix seconds
) STRICT;

-- Calls of a key's quota that one server may let in without asking; they count as used for all others. A lease is of one hour, and
-- of its day. What a server held that was killed stays held until then.
CREATE TABLE leases (
    key_id INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    server INTEGER NOT NULL,
    day    INTEGER NOT NULL,          -- numbers of windows, as those of counters
    hour   INTEGER NOT NULL,
    calls  INTEGER NOT NULL CHECK (calls > 0),
    PRIMARY KEY (key_id, server)
) STRICT, WITHOUT ROWID;
