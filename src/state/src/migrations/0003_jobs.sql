-- Long work, a row a job. Callers see four statuses; a job that waits is `running` with a null `worker`.
CREATE TABLE jobs (
    number            INTEGER PRIMARY KEY AUTOINCREMENT,
    kind              TEXT    NOT NULL,
    id                TEXT    NOT NULL,            -- what callers know it by; not to be guessed
    owner             TEXT    NOT NULL,
    key_id            INTEGER,                     -- null: a caller without a key
    spec              TEXT    NOT NULL,            -- JSON
    status            TEXT    NOT NULL DEFAULT 'running'
                      CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
    turn              INTEGER NOT NULL,            -- the place in the queue; owners take turns
    created_at        INTEGER NOT NULL,            -- Unix seconds, as all times here
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
    cancel_ack        INTEGER NOT NULL DEFAULT 0,  -- 1: the worker of a cancelled job has let go of it
    error             TEXT,
    report            TEXT,                        -- JSON; last, so that other columns are read without it
    UNIQUE (kind, id)
) STRICT;

CREATE INDEX jobs_waiting  ON jobs (turn, number) WHERE status = 'running';
CREATE INDEX jobs_begun    ON jobs (turn) WHERE attempts > 0;
CREATE INDEX jobs_of_owner ON jobs (owner, kind, number);
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;

-- What was done of a job: written once, never changed.
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

-- What counts against a key's limit of runs: a row a job, gone when the job never ran. A key that replaces another has
-- a copy of its rows.
CREATE TABLE job_runs (
    job    INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    key_id INTEGER,
    kind   TEXT    NOT NULL,
    at     INTEGER NOT NULL
) STRICT;

CREATE INDEX job_runs_of_key ON job_runs (kind, key_id, at);
CREATE INDEX job_runs_of_job ON job_runs (job);
