// The limits that the owner of a blob has set: its lifetime and its number of fetchers.

/** Relays of the previous version ignore these limits until they are replaced. */
export const blobLimitTables = `
  -- fetched_by: the hashes of the tokens of those who may fetch it, one behind the other.
  ALTER TABLE blob ADD COLUMN lifetime_ms bigint;
  ALTER TABLE blob ADD COLUMN fetches integer;
  ALTER TABLE blob ADD COLUMN fetched_by bytea;
  CREATE INDEX blob_expires ON blob ((done_ms + lifetime_ms)) WHERE lifetime_ms IS NOT NULL;
`
