-- GitHub's id of an installation's account. An account that installs the App again gets another
-- installation, and keeps this id. 0: not known yet.
ALTER TABLE installation ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;
-- A pause of an installation holds for every installation of its account.
ALTER TABLE pause ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pause ADD COLUMN account TEXT NOT NULL DEFAULT '';  -- its login at that time
