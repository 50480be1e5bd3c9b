-- Who asked for what, what ran, and what was written. Rows are added, never changed, and removed
-- with their time or with their installation or repository.
CREATE TABLE audit (
  id           TEXT PRIMARY KEY,
  at           BIGINT NOT NULL,
  installation BIGINT NOT NULL,      -- 0: none
  repository   BIGINT NOT NULL,      -- 0: none, or several
  content      BYTEA NOT NULL        -- docs/audit.schema.json
);
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_of ON audit (installation, repository);

-- What belongs to an installation or a repository can be found, so that it can be removed.
-- 0: stored by an older odfix.
ALTER TABLE delivery ADD COLUMN installation BIGINT NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN repository BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN repository BIGINT NOT NULL DEFAULT 0;
CREATE INDEX delivery_of ON delivery (installation, repository);
CREATE INDEX investigation_of ON investigation (installation, repository);
CREATE INDEX investigation_updated ON investigation (updated);
CREATE INDEX task_of ON task (installation, repository);
