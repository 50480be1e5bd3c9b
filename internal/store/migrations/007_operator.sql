-- What the operator has paused. Both 0: everything.
CREATE TABLE pause (
  installation BIGINT NOT NULL,     -- 0: of any
  repository   BIGINT NOT NULL,     -- 0: any
  reason       TEXT NOT NULL,
  since        BIGINT NOT NULL,
  PRIMARY KEY (installation, repository)
);
-- Commits of pull requests whose code may run, since a maintainer has approved it.
CREATE TABLE approval (
  repository   BIGINT NOT NULL,
  pull_request BIGINT NOT NULL,
  head_sha     TEXT NOT NULL,
  approver     TEXT NOT NULL,
  approved     BIGINT NOT NULL,
  PRIMARY KEY (repository, pull_request, head_sha)
);
-- GitHub's id of the pull request's author, once the investigation counts for the author's limit.
ALTER TABLE investigation ADD COLUMN author BIGINT NOT NULL DEFAULT 0;
