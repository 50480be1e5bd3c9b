-- A signature covers the body but not the delivery's name: the same body under
-- another name is a replay. Empty: replays of this one are harmless.
ALTER TABLE delivery ADD COLUMN digest TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX delivery_digest ON delivery (digest) WHERE digest <> '';
