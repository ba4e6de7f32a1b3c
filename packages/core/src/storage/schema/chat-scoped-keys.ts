// A migration step: ids that a peer chooses are unique within their chat, and no longer across all chats.
// Before, a member could use an id in a private chat first, and the same id in a group was then a repeat for one
// reader.
export const chatScopedKeys = `
  ALTER TABLE message RENAME TO message_before;
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
    UNIQUE (chat_id, sender, send_id)
  ) STRICT;
  INSERT INTO message (row, id, chat_id, sender, ts, send_id, body, reported, edited_ts, timer_ms, expires_ts, read,
      text_ts, buttons_ts, erase_at_ms)
    SELECT row, id, chat_id, sender, ts, send_id, body, reported, edited_ts, timer_ms, expires_ts, read,
      text_ts, buttons_ts, erase_at_ms FROM message_before;
  DROP TABLE message_before;
  CREATE INDEX message_unreported ON message (chat_id, ts) WHERE reported = 0;
  CREATE INDEX message_unread ON message (chat_id, ts) WHERE read = 0;
  CREATE INDEX message_erase ON message (erase_at_ms) WHERE erase_at_ms IS NOT NULL;
  CREATE INDEX message_ts ON message (ts);
  CREATE INDEX message_file ON message (chat_id, ts) WHERE json_extract(body, '$.kind') = 'file';

  ALTER TABLE press RENAME TO press_before;
  CREATE TABLE press (
    id TEXT NOT NULL,
    chat_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    presser TEXT NOT NULL,
    bot TEXT NOT NULL,
    ts INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0,
    taken_ms INTEGER NOT NULL DEFAULT 0,
    answer_by_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (id, chat_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO press (id, chat_id, message_id, presser, bot, ts, answered, taken_ms, answer_by_ms)
    SELECT id, chat_id, message_id, presser, bot, ts, answered, taken_ms, answer_by_ms FROM press_before;
  DROP TABLE press_before;
  CREATE INDEX press_taken ON press (taken_ms);
`
