-- When workers last asked any of the servers for a task. Rows are removed after a day.
CREATE TABLE worker (
  identity TEXT PRIMARY KEY,
  asked    BIGINT NOT NULL
);
