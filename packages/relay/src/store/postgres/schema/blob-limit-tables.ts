// What the owner of a blob has limited it to: how long it is there, and for how many fetchers.

/** Relays of the version before pass limits over until they are replaced. */
export const blobLimitTables = `
  -- fetched_by: the hashes of the tokens of those who may fetch it, one behind the other.
  ALTER TABLE blob ADD COLUMN lifetime_ms bigint;
  ALTER TABLE blob ADD COLUMN fetches integer;
  ALTER TABLE blob ADD COLUMN fetched_by bytea;
  CREATE INDEX blob_expires ON blob ((done_ms + lifetime_ms)) WHERE lifetime_ms IS NOT NULL;
`
