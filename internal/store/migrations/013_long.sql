-- The long parts of tasks and of evidence have tables of their own, since the rest is read and
-- changed often.

-- Jobs of tasks that have not ended. What the server needs of one while it runs is in task.about. The
-- column is renamed first: from then on, no server of an earlier version adds a task.
ALTER TABLE task RENAME COLUMN content TO about;
CREATE TABLE task_job (
  task    TEXT PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
  content BYTEA NOT NULL
);
INSERT INTO task_job (task, content) SELECT id, about FROM task WHERE state IN ('waiting', 'running');

-- The order of tests in CI, of investigations that have no report yet.
CREATE TABLE observed_order (
  investigation TEXT PRIMARY KEY REFERENCES investigation (id) ON DELETE CASCADE,
  content       BYTEA NOT NULL
);
