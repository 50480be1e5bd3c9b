-- A runner's report whose patches no second runner has confirmed yet.
CREATE TABLE draft (
  investigation TEXT PRIMARY KEY REFERENCES investigation (id) ON DELETE CASCADE,
  content       BYTEA NOT NULL,     -- as in report
  attempt       BIGINT NOT NULL,    -- of the investigation, when it was saved
  created       BIGINT NOT NULL
);
