-- Processes that work on the queue, and when each last gave a sign of life, by the clock of the
-- database. Rows are removed after a day.
CREATE TABLE process (
  name TEXT PRIMARY KEY,  -- as the queue knows it
  beat BIGINT NOT NULL
);
