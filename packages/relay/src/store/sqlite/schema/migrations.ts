// The relay's tables, as numbered steps: a released step is never changed, only followed by another.
import type { SchemaDraft } from '@postern/protocol'

export const migrations: readonly string[] = [
  `
  -- Accounts have small numbers inside, so that a mailbox row is two small integers.
  CREATE TABLE account (
    num INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account_key BLOB NOT NULL,
    created_ms INTEGER NOT NULL,
    cursor INTEGER NOT NULL DEFAULT 0,
    mark INTEGER NOT NULL DEFAULT 0,
    group_count INTEGER NOT NULL DEFAULT 0,
    people_day INTEGER NOT NULL DEFAULT 0,
    people_count INTEGER NOT NULL DEFAULT 0,
    blob_day INTEGER NOT NULL DEFAULT 0,
    blob_count INTEGER NOT NULL DEFAULT 0,
    blob_bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE profile (
    account INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    blob BLOB NOT NULL
  ) STRICT;

  -- A package that was taken stays as its hash for a while: published again by a late resend, it must not go out twice.
  CREATE TABLE key_package (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL,
    hash BLOB NOT NULL,
    data BLOB,
    taken_ms INTEGER,
    UNIQUE (account, hash)
  ) STRICT;
  CREATE INDEX key_package_left ON key_package (account, num) WHERE taken_ms IS NULL;
  CREATE INDEX key_package_taken ON key_package (taken_ms) WHERE taken_ms IS NOT NULL;

  CREATE TABLE last_resort (
    account INTEGER PRIMARY KEY,
    data BLOB NOT NULL
  ) STRICT;

  -- The account may add the peer without counting: it was counted before, or the peer added it or wrote to it.
  CREATE TABLE contact (
    account INTEGER NOT NULL,
    peer INTEGER NOT NULL,
    PRIMARY KEY (account, peer)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE chat_group (
    num INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    creator INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    last_ts INTEGER NOT NULL,
    empty_ms INTEGER
  ) STRICT;
  CREATE INDEX chat_group_empty ON chat_group (empty_ms) WHERE empty_ms IS NOT NULL;

  -- has_left: the member ended its delivery, and no commit has removed it yet.
  CREATE TABLE member (
    chat_group INTEGER NOT NULL,
    account INTEGER NOT NULL,
    has_left INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (chat_group, account)
  ) STRICT, WITHOUT ROWID;

  -- Every payload once. The position is the cursor of every mailbox that refers to it.
  CREATE TABLE entry (
    pos INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_group INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    sender INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    message BLOB,
    payload BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX entry_message ON entry (message) WHERE message IS NOT NULL;

  CREATE TABLE mailbox (
    account INTEGER NOT NULL,
    pos INTEGER NOT NULL,
    PRIMARY KEY (account, pos)
  ) STRICT, WITHOUT ROWID;

  -- Entries below the floor are past their time, whether or not they are removed already.
  CREATE TABLE retention (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    floor INTEGER NOT NULL
  ) STRICT;
  INSERT INTO retention VALUES (1, 0);

  CREATE TABLE blob (
    id TEXT PRIMARY KEY,
    owner INTEGER NOT NULL,
    size INTEGER NOT NULL,
    token_hash BLOB NOT NULL,
    begun_ms INTEGER NOT NULL,
    done_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blob_unfinished ON blob (begun_ms) WHERE done_ms IS NULL;
  CREATE INDEX blob_done ON blob (done_ms) WHERE done_ms IS NOT NULL;
  `,
  `
  -- Of a commit: the ids of whom it added and removed, one behind the other; NULL when nobody.
  ALTER TABLE entry ADD COLUMN added BLOB;
  ALTER TABLE entry ADD COLUMN removed BLOB;

  -- Who was in a group lately. One row per account, however often it came and went.
  CREATE TABLE past_member (
    chat_group INTEGER NOT NULL,
    account INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (chat_group, account)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX past_member_until ON past_member (until_ms);

  -- The one group by which an account carries on another. chat_group NULL: that was done, and is over.
  CREATE TABLE continuation (
    creator INTEGER NOT NULL,
    continued INTEGER NOT NULL,
    chat_group INTEGER,
    is_used INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (creator, continued)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX continuation_continued ON continuation (continued);
  CREATE INDEX continuation_group ON continuation (chat_group) WHERE chat_group IS NOT NULL;
  `,
  `
  -- The highest of the account's device certificates that was seen: below it they are revoked.
  ALTER TABLE account ADD COLUMN serial INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE account ADD COLUMN bytes_day INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN bytes_used INTEGER NOT NULL DEFAULT 0;

  -- How often an invite was used; what it allows stands in its file.
  CREATE TABLE invite_use (
    hash BLOB PRIMARY KEY,
    used INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX invite_use_expires ON invite_use (expires_ms);
  `,
  `
  -- By how much the clock was set forward while the relay ran, and how long that counts for what was stamped before.
  ALTER TABLE retention ADD COLUMN set_by_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE retention ADD COLUMN set_until_ms INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- When the operator shut the account out, and the day, from 1970, on which it last logged in.
  ALTER TABLE account ADD COLUMN banned_ms INTEGER;
  ALTER TABLE account ADD COLUMN seen_day INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX account_banned ON account (num) WHERE banned_ms IS NOT NULL;

  -- What an account has stored, and all have, without a look at every row.
  CREATE INDEX blob_owner ON blob (owner, done_ms, size);
  `,
  `
  -- Which life of this relay it is: another one after each restore from a backup, by which clients know that some is missing.
  CREATE TABLE incarnation (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL
  ) STRICT;
  INSERT INTO incarnation VALUES (1, randomblob(16));
  `,
  `
  -- Where the bytes of an unfinished blob are when they are kept in parts. kind: a part of the upload, or a piece by itself.
  CREATE TABLE blob_part (
    blob TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (blob, number)
  ) STRICT, WITHOUT ROWID;

  -- The one upload that they are parts of, and the highest number that was given out for one.
  CREATE TABLE blob_upload (
    blob TEXT PRIMARY KEY,
    upload TEXT NOT NULL,
    claimed INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The day from 1970 on which the contact was noted. Existing rows are as of today: nobody counts as a new person by an upgrade.
  ALTER TABLE contact ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
  UPDATE contact SET day = unixepoch() / 86400;
  CREATE INDEX contact_day ON contact (day);
  CREATE INDEX contact_peer ON contact (peer);
  CREATE INDEX member_account ON member (account) WHERE has_left = 0;

  -- When its owner deleted the account. The row stays as a tombstone: no copy of its keys registers it again.
  ALTER TABLE account ADD COLUMN deleted_ms INTEGER;
  CREATE INDEX account_deleted ON account (deleted_ms) WHERE deleted_ms IS NOT NULL;
  `,
  `
  -- What its owner has limited a blob to. fetched_by: the hashes of the tokens of those who may fetch it, one behind the other.
  ALTER TABLE blob ADD COLUMN lifetime_ms INTEGER;
  ALTER TABLE blob ADD COLUMN fetches INTEGER;
  ALTER TABLE blob ADD COLUMN fetched_by BLOB;
  CREATE INDEX blob_expires ON blob (done_ms + lifetime_ms) WHERE lifetime_ms IS NOT NULL;
  `,
  `
  -- Entries for somebody's attention, as long as a push about them makes sense.
  CREATE TABLE attention (
    pos INTEGER PRIMARY KEY,
    ts INTEGER NOT NULL,
    is_mention INTEGER NOT NULL,
    preview BLOB
  ) STRICT;

  -- Of devices, at push services. serial: of the device's certificate. muted: groups, one behind the other.
  -- pushed: nothing in the mailbox up to here has to be pushed any more.
  CREATE TABLE push_subscription (
    device TEXT PRIMARY KEY,
    account INTEGER NOT NULL,
    serial INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    p256dh BLOB NOT NULL,
    auth BLOB NOT NULL,
    muted BLOB NOT NULL,
    pushed INTEGER NOT NULL,
    set_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX push_subscription_account ON push_subscription (account, set_ms);

  -- By this key push services know the relay, and subscriptions are bound to it.
  CREATE TABLE push_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    private_key BLOB NOT NULL,
    public_key BLOB NOT NULL
  ) STRICT;
  `,
]

/** Numbers that were used for several shapes before one of them stayed. */
export const drafts: readonly SchemaDraft[] = [
  { schema: 2, lacks: 'past_member.account', openedBy: '2c2ee79' },
  { schema: 3, lacks: 'account.serial', openedBy: '8ffdb17' },
  { schema: 8, lacks: 'blob_upload.claimed', openedBy: '7fb3cff' },
]
