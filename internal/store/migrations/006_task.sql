-- Jobs that workers on other machines run.
CREATE TABLE task (
  id           TEXT PRIMARY KEY,
  key          TEXT NOT NULL UNIQUE, -- the step that the job is for
  installation BIGINT NOT NULL,
  content      BYTEA NOT NULL,       -- the job, and the commit that it needs
  state        TEXT NOT NULL,        -- waiting, running, done, failed
  stop         BIGINT NOT NULL,      -- 1: its worker is asked to stop
  attempt      BIGINT NOT NULL,      -- how often a worker took it
  worker       TEXT NOT NULL,        -- who has it
  token        TEXT NOT NULL,        -- hash of the attempt's token
  received     BIGINT NOT NULL,      -- messages of the attempt
  fetched      BIGINT NOT NULL,      -- how often the attempt fetched the sources
  events       BIGINT NOT NULL,      -- events of all attempts
  heartbeat    BIGINT NOT NULL,
  deadline     BIGINT NOT NULL,      -- of the state
  time_limit   BIGINT NOT NULL,      -- microseconds that an attempt may take
  result       BYTEA,                -- of a task that has ended
  created      BIGINT NOT NULL,
  updated      BIGINT NOT NULL
);
CREATE INDEX task_state ON task (state, created);

-- Events that the server has not passed on yet.
CREATE TABLE task_event (
  task    TEXT NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  number  BIGINT NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (task, number)
);
