// Columns and indexes for expiring contacts and deleting accounts.

export const forgettingTables = `
  -- The day from 1970 on which the contact was noted. Existing rows are as of today: nobody counts as a new person by an upgrade.
  ALTER TABLE contact ADD COLUMN day integer NOT NULL DEFAULT floor(extract(epoch FROM now()) / 86400)::integer;
  CREATE INDEX contact_day ON contact (day);
  CREATE INDEX contact_peer ON contact (peer);
  CREATE INDEX member_account ON member (account) WHERE until IS NULL;

  -- When its owner deleted the account. The row stays as a tombstone: no copy of its keys registers it again.
  ALTER TABLE account ADD COLUMN deleted_ms bigint;
  CREATE INDEX account_deleted ON account (deleted_ms) WHERE deleted_ms IS NOT NULL;
`
