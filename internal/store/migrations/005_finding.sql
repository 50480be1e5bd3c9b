-- What an investigation found of each test, for the overview. Reports that are older than this
-- migration have no rows.
CREATE TABLE finding (
  investigation TEXT NOT NULL REFERENCES investigation (id) ON DELETE CASCADE,
  test          TEXT NOT NULL,
  verdict       TEXT NOT NULL,
  proved        BIGINT NOT NULL,    -- 1: a patch for it is proved
  PRIMARY KEY (investigation, test)
);
-- How long the runner took, in milliseconds.
ALTER TABLE report ADD COLUMN spent BIGINT NOT NULL DEFAULT 0;
