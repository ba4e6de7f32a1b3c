// Tables that were made from the sources before the first release: the steps that lead on from them, and those that have none.
import type { SchemaDraft } from '@postern/protocol'

/** From schema 2 on, each to the next number, up to the last before the first release. Only servers have such tables. */
export const earlySteps: readonly string[] = [
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
  -- Since when its keys are of no use, and whose commit was refused, where it was that.
  ALTER TABLE mls_group ADD COLUMN ended_ms INTEGER;
  ALTER TABLE mls_group ADD COLUMN offender TEXT;
  -- The group that it carries on.
  ALTER TABLE mls_group ADD COLUMN continues TEXT;
  -- When its keys are to be renewed next; 0: as soon as it can be done.
  ALTER TABLE mls_group ADD COLUMN renew_at_ms INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX mls_group_renewal ON mls_group (renew_at_ms) WHERE status = 'open';

  -- Rises whenever somebody comes or goes: what was compared with the keys once need not be compared again.
  ALTER TABLE chat ADD COLUMN roster_version INTEGER NOT NULL DEFAULT 0;
  CREATE TRIGGER member_came AFTER INSERT ON member BEGIN
    UPDATE chat SET roster_version = roster_version + 1 WHERE id = NEW.chat_id;
  END;
  CREATE TRIGGER member_went AFTER DELETE ON member BEGIN
    UPDATE chat SET roster_version = roster_version + 1 WHERE id = OLD.chat_id;
  END;

  -- Messages to this account alone that were taken: none is taken twice while its epoch lasts, and after it none can be.
  CREATE TABLE taken_direct (
    group_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    PRIMARY KEY (group_id, message_id)
  ) STRICT, WITHOUT ROWID;

  -- By the clock of this machine: the relay's time must not decide what is forgotten.
  ALTER TABLE press ADD COLUMN taken_ms INTEGER NOT NULL DEFAULT 0;
  DROP INDEX press_ts;
  CREATE INDEX press_taken ON press (taken_ms);

  ALTER TABLE person ADD COLUMN device_key BLOB;

  -- By which who has left may be removed by anybody.
  ALTER TABLE member ADD COLUMN farewell BLOB;

  -- When people were last told that something was refused: a flood of it must not drown what they are told besides.
  ALTER TABLE chat ADD COLUMN warned_ms INTEGER NOT NULL DEFAULT 0;
  -- Of a group chat: the highest generation of a group that was refused here, and since when somebody is to answer it.
  ALTER TABLE chat ADD COLUMN refused_generation INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE chat ADD COLUMN refused_ms INTEGER;

  -- Groups whose members at the relay are not those by their keys.
  CREATE TABLE list_repair (group_id TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- What all members of an epoch have in common: who has another for the same epoch was shown another history.
  CREATE TABLE epoch_mark (
    group_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    mark TEXT NOT NULL,
    PRIMARY KEY (group_id, epoch)
  ) STRICT, WITHOUT ROWID;
  -- Up to which epoch a person was told of it, and who shares groups with whom.
  CREATE TABLE mark_told (
    group_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (group_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX member_account ON member (account_id);
  -- Whom to ask for theirs.
  CREATE TABLE mark_question (
    group_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    -- Whether something of theirs could not be read, or they only said another mark.
    in_trouble INTEGER NOT NULL,
    asked INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (group_id, epoch, account_id)
  ) STRICT, WITHOUT ROWID;

  -- Messages of a sender in the present epoch that did not come, and how many of them it has said to have given up.
  CREATE TABLE gap (
    group_id TEXT NOT NULL,
    sender TEXT NOT NULL,
    skipped INTEGER NOT NULL,
    explained INTEGER NOT NULL,
    told INTEGER NOT NULL,
    PRIMARY KEY (group_id, sender)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE key_package ADD COLUMN retired_ms INTEGER;
  ALTER TABLE person ADD COLUMN floor_version INTEGER NOT NULL DEFAULT 0;
  UPDATE person SET floor_version = max(profile_version, wanted_version);
  ALTER TABLE mailbox ADD COLUMN restored_cursor INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX key_package_live ON key_package (last_resort, made_ms, published) WHERE retired_ms IS NULL;
  `,
  `
  -- When that member last claimed to have been shown another history.
  ALTER TABLE mark_question ADD COLUMN claimed_ms INTEGER NOT NULL DEFAULT 0;
  -- Added because this client asked for it, knowing nothing of the group: nobody has meant to invite this account.
  ALTER TABLE mls_group ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The version of the own profile with which a waiting message says who this is; none when it does not.
  ALTER TABLE outbox ADD COLUMN hello_version INTEGER;
  `,
  `
  -- Reactions and presses hold words of a message, too.
  UPDATE journal SET message_id = coalesce(json_extract(json, '$.reaction.message_id'), json_extract(json, '$.button.message_id'))
    WHERE message_id IS NULL;
  -- Whom the owner has let in by hand.
  ALTER TABLE person ADD COLUMN accepted INTEGER NOT NULL DEFAULT 0;
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
  `,
  `
  -- One moment by three clocks: how much time has passed, what this machine's clock said then, and the relay's.
  CREATE TABLE passed_time (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    passed_ms INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL,
    relay_ms INTEGER
  ) STRICT;
  -- By the time that passed, which begins where the clock stands.
  ALTER TABLE press ADD COLUMN answer_by_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE press SET answer_by_ms = ts + 60000;
  ALTER TABLE message ADD COLUMN erase_at_ms INTEGER;
  UPDATE message SET erase_at_ms = expires_ts;
  DROP INDEX message_expires;
  CREATE INDEX message_erase ON message (erase_at_ms) WHERE erase_at_ms IS NOT NULL;
  `,
  `
  -- The time before which it cannot be any more, should the clock have been set back: once both it and the relay said so.
  ALTER TABLE passed_time ADD COLUMN reached_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE passed_time SET reached_ms = min(wall_ms, relay_ms) WHERE relay_ms IS NOT NULL;
  -- Entries of a log whose time here is not the one that the relay says, or might not have been.
  CREATE TABLE log_place (
    group_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    PRIMARY KEY (group_id, seq)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Groups of this account whose keys are lost, and who was asked to add it anew: members; then, where those told what only
  -- an admin may, the admins, who are to be asked or were. Until here it stood among the groups that are not known at all.
  CREATE TABLE rejoin_asked (
    group_id TEXT PRIMARY KEY,
    asked_ms INTEGER NOT NULL,
    whom TEXT NOT NULL CHECK (whom IN ('members', 'admins-next', 'admins'))
  ) STRICT, WITHOUT ROWID;
  INSERT INTO rejoin_asked (group_id, asked_ms, whom)
    SELECT group_id, ts, CASE healed WHEN 2 THEN 'admins-next' WHEN 3 THEN 'admins' ELSE 'members' END
    FROM lost_group WHERE group_id IN (SELECT id FROM mls_group);
  DELETE FROM lost_group WHERE group_id IN (SELECT id FROM mls_group);
  -- Whether people were told that somebody was heard there. Until here such a row had this account as its speaker.
  ALTER TABLE lost_group ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
  UPDATE lost_group SET told = 1 WHERE speaker = (SELECT id FROM account);
  `,
  `
  -- The lines of a history that nobody has written. In one chat no message has the same time.
  CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id TEXT NOT NULL,
    ts INTEGER NOT NULL,
    json TEXT NOT NULL,
    UNIQUE (chat_id, ts)
  ) STRICT;
  -- By the clock of this machine: since when it waits for the relay's word.
  ALTER TABLE outbox ADD COLUMN since_ms INTEGER NOT NULL DEFAULT 0;
  -- All that was said, newest first, and the files of a chat.
  CREATE INDEX message_ts ON message (ts);
  CREATE INDEX message_file ON message (chat_id, ts) WHERE json_extract(body, '$.kind') = 'file';
  `,
  `
  -- What the owner says of people: that nothing is to come from them, and that their keys were compared.
  ALTER TABLE person ADD COLUMN blocked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE person ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
  -- The same for the private chat with that person: it is asked with every message.
  ALTER TABLE chat ADD COLUMN blocked INTEGER NOT NULL DEFAULT 0;
  -- A request that was declined: a group is to be left, a private chat is a request again with the next message.
  ALTER TABLE chat ADD COLUMN declined INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Files that wait here until somebody sends them: under which name, where in the vault, and their keys.
  CREATE TABLE stowed_file (
    name TEXT PRIMARY KEY,
    stow_id TEXT NOT NULL,
    key BLOB NOT NULL,
    size INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
]

/** Numbers that were used for several shapes before one of them stayed. */
export const drafts: readonly SchemaDraft[] = [
  { schema: 1, lacks: 'lost_group.group_id', openedBy: '94d289d' },
  { schema: 1, lacks: 'mls_state.group_id', openedBy: 'c6d65d3' },
  { schema: 2, lacks: 'mailbox.encrypted', openedBy: 'dc5c776' },
  { schema: 2, lacks: 'person.bot', openedBy: '3961b94' },
  { schema: 4, lacks: 'mailbox.restored_cursor', openedBy: '846557e' },
  { schema: 4, lacks: 'person.floor_version', openedBy: 'e0ac7a8' },
  { schema: 4, lacks: 'taken_direct.message_id', openedBy: '2c2ee79' },
  { schema: 20, lacks: 'mls_group.maker', openedBy: '1b984ed' },
]
