-- Up to which time something of GitHub's was read, by name. What follows is read next.
CREATE TABLE mark (
  name  TEXT PRIMARY KEY,
  until BIGINT NOT NULL
);
