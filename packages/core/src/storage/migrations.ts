// The database's tables, as numbered steps that are only ever added to.
import { CodedError } from '@postern/protocol'
import type { Database } from './database.ts'

const steps: string[] = [
  `
  CREATE TABLE account (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    secret_key BLOB NOT NULL,
    public_key BLOB NOT NULL,
    device_secret_key BLOB NOT NULL,
    device_public_key BLOB NOT NULL,
    certificate BLOB NOT NULL,
    relay_url TEXT NOT NULL,
    registered INTEGER NOT NULL DEFAULT 0,
    profile_key BLOB NOT NULL,
    profile_version INTEGER NOT NULL,
    published_version INTEGER NOT NULL DEFAULT 0,
    invite_token TEXT NOT NULL,
    profile TEXT NOT NULL
  ) STRICT;

  CREATE TABLE mailbox (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    cursor INTEGER NOT NULL,
    encrypted INTEGER NOT NULL
  ) STRICT;
  INSERT INTO mailbox VALUES (1, 0, 0);

  CREATE TABLE key_package (
    reference BLOB PRIMARY KEY,
    public_bytes BLOB NOT NULL,
    private_bytes BLOB NOT NULL,
    last_resort INTEGER NOT NULL,
    made_ms INTEGER NOT NULL,
    published INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE person (
    account_id TEXT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    bot INTEGER NOT NULL DEFAULT 0,
    profile_key BLOB,
    profile_version INTEGER NOT NULL DEFAULT 0,
    wanted_version INTEGER NOT NULL DEFAULT 0,
    by_link INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE profile (account_id TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;
  CREATE INDEX person_stale ON person (account_id) WHERE wanted_version > profile_version;

  CREATE TABLE chat (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    visible INTEGER NOT NULL,
    title TEXT NOT NULL,
    timer_ms INTEGER NOT NULL,
    group_id TEXT NOT NULL,
    first_seen_ts INTEGER NOT NULL,
    unread INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE member (
    chat_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    admin INTEGER NOT NULL,
    leaving INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (chat_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX member_leaving ON member (chat_id) WHERE leaving = 1;

  CREATE TABLE mls_group (
    id TEXT PRIMARY KEY,
    chat_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    needs_hello INTEGER NOT NULL,
    needs_update INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER NOT NULL DEFAULT 0,
    inviter TEXT NOT NULL,
    status TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mls_group_chat ON mls_group (chat_id);
  CREATE INDEX mls_group_to_greet ON mls_group (id) WHERE needs_hello = 2;
  CREATE INDEX mls_group_broken ON mls_group (id) WHERE status = 'broken';

  CREATE TABLE mls_state (group_id TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

  CREATE TABLE ratchet (
    group_id TEXT NOT NULL,
    node INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (group_id, node)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE pending_commit (
    group_id TEXT PRIMARY KEY,
    message_id TEXT NOT NULL,
    wire BLOB NOT NULL,
    next_state BLOB NOT NULL,
    add_accounts TEXT NOT NULL,
    remove_accounts TEXT NOT NULL,
    welcome BLOB
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rejoin (
    group_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    PRIMARY KEY (group_id, account_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lost_group (
    group_id TEXT PRIMARY KEY,
    speaker TEXT NOT NULL,
    ts INTEGER NOT NULL,
    healed INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE message (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    chat_id TEXT NOT NULL,
    sender TEXT NOT NULL,
    ts INTEGER NOT NULL,
    send_id TEXT NOT NULL,
    body TEXT NOT NULL,
    reported INTEGER NOT NULL,
    UNIQUE (chat_id, ts),
    UNIQUE (sender, send_id)
  ) STRICT;

  CREATE INDEX message_unreported ON message (chat_id, ts) WHERE reported = 0;

  CREATE TABLE outbox (
    message_id TEXT PRIMARY KEY,
    group_id TEXT NOT NULL,
    chat_id TEXT NOT NULL,
    wire BLOB NOT NULL,
    send_id TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ts INTEGER NOT NULL,
    chat_id TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;

  CREATE TABLE reader (name TEXT PRIMARY KEY, confirmed INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE message ADD COLUMN edited_ts INTEGER;
  ALTER TABLE message ADD COLUMN timer_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE message ADD COLUMN expires_ts INTEGER;
  ALTER TABLE message ADD COLUMN read INTEGER NOT NULL DEFAULT 1;
  CREATE INDEX message_expires ON message (expires_ts) WHERE expires_ts IS NOT NULL;
  CREATE INDEX message_unread ON message (chat_id, ts) WHERE read = 0;

  CREATE TABLE reaction (
    message_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    emoji TEXT NOT NULL,
    ts INTEGER NOT NULL,
    PRIMARY KEY (message_id, account_id)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE member ADD COLUMN delivered_ts INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE member ADD COLUMN read_ts INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE receipt_due (
    chat_id TEXT NOT NULL,
    author TEXT NOT NULL,
    delivered_ts INTEGER NOT NULL,
    read_ts INTEGER NOT NULL,
    PRIMARY KEY (chat_id, author)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE journal ADD COLUMN message_id TEXT;
  CREATE INDEX journal_message ON journal (message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX journal_ts ON journal (ts);

  ALTER TABLE reader ADD COLUMN state TEXT;

  CREATE TABLE sent_key (
    key TEXT PRIMARY KEY,
    request BLOB NOT NULL,
    subject TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    message_id TEXT,
    ts INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sent_key_subject ON sent_key (subject);
  `,
  `
  CREATE TABLE record (
    shelf TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (shelf, key)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE message ADD COLUMN text_ts INTEGER;
  ALTER TABLE message ADD COLUMN buttons_ts INTEGER;
  UPDATE message SET text_ts = edited_ts WHERE edited_ts IS NOT NULL;

  CREATE TABLE poll (
    message_id TEXT PRIMARY KEY,
    close_ts INTEGER,
    closed_ts INTEGER,
    closed INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX poll_closing ON poll (close_ts) WHERE closed = 0 AND close_ts IS NOT NULL;

  CREATE TABLE vote (
    message_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    ts INTEGER NOT NULL,
    options TEXT NOT NULL,
    PRIMARY KEY (message_id, account_id, ts)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE offered_data (
    message_id TEXT NOT NULL,
    data TEXT NOT NULL,
    ts INTEGER NOT NULL,
    PRIMARY KEY (message_id, data)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE press (
    id TEXT PRIMARY KEY,
    chat_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    presser TEXT NOT NULL,
    bot TEXT NOT NULL,
    ts INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX press_ts ON press (ts);

  CREATE TABLE upload (blob_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  CREATE TABLE dead_file (blob_id TEXT PRIMARY KEY, own INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE key_package ADD COLUMN retired_ms INTEGER;
  ALTER TABLE person ADD COLUMN floor_version INTEGER NOT NULL DEFAULT 0;
  UPDATE person SET floor_version = max(profile_version, wanted_version);
  ALTER TABLE mailbox ADD COLUMN restored_cursor INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX key_package_live ON key_package (last_resort, made_ms, published) WHERE retired_ms IS NULL;
  `,
]

export function migrate(database: Database, directory: string): void {
  const version = database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > steps.length) throw new CodedError('database-newer', { directory })
  for (const [at, step] of steps.entries()) {
    if (at < version) continue
    database.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${at + 1}; COMMIT`)
  }
}
