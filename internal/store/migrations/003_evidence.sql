-- What an investigation is about: failing tests and the order they ran in, as JSON.
CREATE TABLE evidence (
  investigation TEXT PRIMARY KEY REFERENCES investigation (id) ON DELETE CASCADE,
  content       BYTEA NOT NULL,
  created       BIGINT NOT NULL
);
