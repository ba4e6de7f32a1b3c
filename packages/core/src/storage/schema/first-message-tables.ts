// The tables of the first released version, unchanged: messages and everything about them.
export const firstMessageTables = `
  CREATE TABLE message (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    chat_id TEXT NOT NULL,
    sender TEXT NOT NULL,
    ts INTEGER NOT NULL,
    send_id TEXT NOT NULL,
    body TEXT NOT NULL,
    reported INTEGER NOT NULL,
    edited_ts INTEGER,
    timer_ms INTEGER NOT NULL DEFAULT 0,
    expires_ts INTEGER,
    read INTEGER NOT NULL DEFAULT 1,
    text_ts INTEGER,
    buttons_ts INTEGER,
    erase_at_ms INTEGER,
    UNIQUE (chat_id, ts),
    UNIQUE (sender, send_id)
  ) STRICT;
  CREATE INDEX message_unreported ON message (chat_id, ts) WHERE reported = 0;
  CREATE INDEX message_unread ON message (chat_id, ts) WHERE read = 0;
  CREATE INDEX message_erase ON message (erase_at_ms) WHERE erase_at_ms IS NOT NULL;
  -- All that was said, newest first, and the files of a chat.
  CREATE INDEX message_ts ON message (ts);
  CREATE INDEX message_file ON message (chat_id, ts) WHERE json_extract(body, '$.kind') = 'file';

  CREATE TABLE outbox (
    message_id TEXT PRIMARY KEY,
    group_id TEXT NOT NULL,
    chat_id TEXT NOT NULL,
    wire BLOB NOT NULL,
    send_id TEXT NOT NULL,
    body TEXT NOT NULL,
    -- The version of the own profile with which a waiting message says who this is; none when it does not.
    hello_version INTEGER,
    -- By the clock of this machine: since when it waits for the relay's word.
    since_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ts INTEGER NOT NULL,
    chat_id TEXT NOT NULL,
    json TEXT NOT NULL,
    message_id TEXT
  ) STRICT;
  CREATE INDEX journal_message ON journal (message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX journal_ts ON journal (ts);

  CREATE TABLE reader (name TEXT PRIMARY KEY, confirmed INTEGER NOT NULL, state TEXT) STRICT, WITHOUT ROWID;

  CREATE TABLE reaction (
    message_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    emoji TEXT NOT NULL,
    ts INTEGER NOT NULL,
    PRIMARY KEY (message_id, account_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE receipt_due (
    chat_id TEXT NOT NULL,
    author TEXT NOT NULL,
    delivered_ts INTEGER NOT NULL,
    read_ts INTEGER NOT NULL,
    PRIMARY KEY (chat_id, author)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sent_key (
    key TEXT PRIMARY KEY,
    request BLOB NOT NULL,
    subject TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    message_id TEXT,
    ts INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sent_key_subject ON sent_key (subject);
  -- With every key those go that are too old: without it each send under a key reads all keys of the day.
  CREATE INDEX sent_key_made ON sent_key (made_ms);

  CREATE TABLE record (
    shelf TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (shelf, key)
  ) STRICT, WITHOUT ROWID;

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
    answered INTEGER NOT NULL DEFAULT 0,
    -- By the clock of this machine: the relay's time must not decide what is forgotten.
    taken_ms INTEGER NOT NULL DEFAULT 0,
    -- By the time that passed, which begins where the clock stands.
    answer_by_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX press_taken ON press (taken_ms);

  CREATE TABLE upload (blob_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  CREATE TABLE dead_file (blob_id TEXT PRIMARY KEY, own INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- What was said about messages of a request: told when it is accepted, as things stand by then.
  CREATE TABLE held_event (
    chat_id TEXT NOT NULL,
    type TEXT NOT NULL,
    message_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    ts INTEGER NOT NULL,
    PRIMARY KEY (chat_id, type, message_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX held_event_message ON held_event (message_id);

  -- The lines of a history that nobody has written. In one chat no message has the same time.
  CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id TEXT NOT NULL,
    ts INTEGER NOT NULL,
    json TEXT NOT NULL,
    UNIQUE (chat_id, ts)
  ) STRICT;

  -- Files that wait here until somebody sends them: under which name, where in the vault, and their keys.
  CREATE TABLE stowed_file (
    name TEXT PRIMARY KEY,
    stow_id TEXT NOT NULL,
    key BLOB NOT NULL,
    size INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
