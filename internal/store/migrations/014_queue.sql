-- Jobs of the queue that have not ended, by kind. Those that ended stay for a while, and there can be
-- very many of them.
CREATE INDEX odfix_unfinished_job ON river_job (kind, id)
  WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled');
