-- Read by SQLite and PostgreSQL alike. Times are microseconds since 1970, UTC.
-- BYTEA is no type to SQLite, which keeps bytes in such a column as bytes.

CREATE TABLE delivery (
  guid      TEXT PRIMARY KEY,       -- X-GitHub-Delivery: the same when GitHub delivers again
  event     TEXT NOT NULL,          -- X-GitHub-Event
  received  BIGINT NOT NULL,
  content   BYTEA NOT NULL,         -- what intake kept of the payload, as JSON
  handled   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX delivery_received ON delivery (received);

CREATE TABLE installation (
  id          BIGINT PRIMARY KEY,
  account     TEXT NOT NULL,
  permissions TEXT NOT NULL,        -- JSON: permission to level
  suspended   BIGINT NOT NULL,      -- 0: it is not
  removed     BIGINT NOT NULL,      -- 0: it is not
  updated     BIGINT NOT NULL
);

CREATE TABLE repository (
  id           BIGINT PRIMARY KEY,
  installation BIGINT NOT NULL,
  full_name    TEXT NOT NULL,
  removed      BIGINT NOT NULL
);
CREATE INDEX repository_installation ON repository (installation);

CREATE TABLE pull_request (
  repository BIGINT NOT NULL,       -- the base repository
  number     BIGINT NOT NULL,
  head_sha   TEXT NOT NULL,
  head_repository BIGINT NOT NULL,  -- another than repository for forks; 0: the fork is gone
  head_ref   TEXT NOT NULL,
  base_ref   TEXT NOT NULL,
  is_open    BIGINT NOT NULL,
  updated    BIGINT NOT NULL,       -- GitHub's updated_at: decides between deliveries out of order
  PRIMARY KEY (repository, number)
);

-- Every head a pull request was seen to have.
CREATE TABLE pull_request_head (
  repository BIGINT NOT NULL,
  head_sha   TEXT NOT NULL,
  number     BIGINT NOT NULL,
  seen       BIGINT NOT NULL,
  PRIMARY KEY (repository, head_sha, number)
);

CREATE TABLE investigation (
  id            TEXT PRIMARY KEY,
  installation  BIGINT NOT NULL,
  repository    BIGINT NOT NULL,
  pull_request  BIGINT NOT NULL,
  head_sha      TEXT NOT NULL,
  round         BIGINT NOT NULL,    -- 1, and one more for each retry of the same head
  state         TEXT NOT NULL,
  superseded_by TEXT NOT NULL,      -- head sha that took its place
  reason        TEXT NOT NULL,      -- why it ended, for people
  attempt       BIGINT NOT NULL,    -- how many times a runner took it
  holder        TEXT NOT NULL,      -- who has the lease while it is running
  heartbeat     BIGINT NOT NULL,
  deadline      BIGINT NOT NULL,
  created       BIGINT NOT NULL,
  updated       BIGINT NOT NULL,
  UNIQUE (repository, pull_request, head_sha, round)
);
CREATE INDEX investigation_live ON investigation (state, deadline);
CREATE INDEX investigation_created ON investigation (repository, created);

CREATE TABLE report (
  investigation TEXT PRIMARY KEY REFERENCES investigation (id) ON DELETE CASCADE,
  content       BYTEA NOT NULL,     -- docs/report.schema.json
  created       BIGINT NOT NULL
);

-- Writes to GitHub. The key decides who may do one, and that it is done once.
CREATE TABLE posted (
  key          TEXT PRIMARY KEY,
  repository   BIGINT NOT NULL,
  pull_request BIGINT NOT NULL,
  kind         TEXT NOT NULL,
  remote_id    BIGINT NOT NULL,     -- 0 until GitHub answered
  holder       TEXT NOT NULL,
  claimed      BIGINT NOT NULL,
  done         BIGINT NOT NULL      -- 0 until GitHub answered
);
CREATE INDEX posted_counted ON posted (repository, kind, claimed);
CREATE INDEX posted_pull_request ON posted (repository, pull_request);

CREATE TABLE config_cache (
  repository BIGINT NOT NULL,
  place      TEXT NOT NULL,         -- the path, in the repository
  etag       TEXT NOT NULL,
  found      BIGINT NOT NULL,       -- 0: there is no such file
  content    BYTEA NOT NULL,
  fetched    BIGINT NOT NULL,
  PRIMARY KEY (repository, place)
);
