// The tables of the first released version, unchanged: this account, its people, chats and their keys.
export const firstChatTables = `
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
    encrypted INTEGER NOT NULL,
    restored_cursor INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO mailbox VALUES (1, 0, 0, 0);

  CREATE TABLE key_package (
    reference BLOB PRIMARY KEY,
    public_bytes BLOB NOT NULL,
    private_bytes BLOB NOT NULL,
    last_resort INTEGER NOT NULL,
    made_ms INTEGER NOT NULL,
    published INTEGER NOT NULL DEFAULT 0,
    retired_ms INTEGER
  ) STRICT;
  CREATE INDEX key_package_live ON key_package (last_resort, made_ms, published) WHERE retired_ms IS NULL;

  CREATE TABLE person (
    account_id TEXT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    bot INTEGER NOT NULL DEFAULT 0,
    profile_key BLOB,
    profile_version INTEGER NOT NULL DEFAULT 0,
    wanted_version INTEGER NOT NULL DEFAULT 0,
    by_link INTEGER NOT NULL DEFAULT 0,
    device_key BLOB,
    floor_version INTEGER NOT NULL DEFAULT 0,
    -- Whom the owner has let in by hand.
    accepted INTEGER NOT NULL DEFAULT 0,
    -- What the owner says of people: that nothing is to come from them, and that their keys were compared.
    blocked INTEGER NOT NULL DEFAULT 0,
    verified INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX person_stale ON person (account_id) WHERE wanted_version > profile_version;

  CREATE TABLE profile (account_id TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;

  CREATE TABLE chat (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    visible INTEGER NOT NULL,
    title TEXT NOT NULL,
    timer_ms INTEGER NOT NULL,
    group_id TEXT NOT NULL,
    first_seen_ts INTEGER NOT NULL,
    unread INTEGER NOT NULL DEFAULT 0,
    -- Rises whenever somebody comes or goes: what was compared with the keys once need not be compared again.
    roster_version INTEGER NOT NULL DEFAULT 0,
    -- When people were last told that something was refused: a flood of it must not drown what they are told besides.
    warned_ms INTEGER NOT NULL DEFAULT 0,
    -- Of a group chat: the highest generation of a group that was refused here, and since when somebody is to answer it.
    refused_generation INTEGER NOT NULL DEFAULT 0,
    refused_ms INTEGER,
    -- The same as of the person, for the private chat with them: it is asked with every message.
    blocked INTEGER NOT NULL DEFAULT 0,
    -- A request that was declined: a group is to be left, a private chat is a request again with the next message.
    declined INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE member (
    chat_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    admin INTEGER NOT NULL,
    leaving INTEGER NOT NULL DEFAULT 0,
    delivered_ts INTEGER NOT NULL DEFAULT 0,
    read_ts INTEGER NOT NULL DEFAULT 0,
    -- By which who has left may be removed by anybody.
    farewell BLOB,
    PRIMARY KEY (chat_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX member_leaving ON member (chat_id) WHERE leaving = 1;
  CREATE TRIGGER member_came AFTER INSERT ON member BEGIN
    UPDATE chat SET roster_version = roster_version + 1 WHERE id = NEW.chat_id;
  END;
  CREATE TRIGGER member_went AFTER DELETE ON member BEGIN
    UPDATE chat SET roster_version = roster_version + 1 WHERE id = OLD.chat_id;
  END;
  CREATE INDEX member_account ON member (account_id);

  CREATE TABLE mls_group (
    id TEXT PRIMARY KEY,
    chat_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    needs_hello INTEGER NOT NULL,
    needs_update INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER NOT NULL DEFAULT 0,
    inviter TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Since when its keys are of no use, and whose commit was refused, where it was that.
    ended_ms INTEGER,
    offender TEXT,
    -- The group that it carries on.
    continues TEXT,
    -- When its keys are to be renewed next; 0: as soon as it can be done.
    renew_at_ms INTEGER NOT NULL DEFAULT 0,
    -- Added because this client asked for it, knowing nothing of the group: nobody has meant to invite this account.
    asked INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mls_group_chat ON mls_group (chat_id);
  CREATE INDEX mls_group_to_greet ON mls_group (id) WHERE needs_hello = 2;
  CREATE INDEX mls_group_broken ON mls_group (id) WHERE status = 'broken';
  CREATE INDEX mls_group_renewal ON mls_group (renew_at_ms) WHERE status = 'open';

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
    healed INTEGER NOT NULL DEFAULT 0,
    -- Whether people were told that somebody was heard there.
    told INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  -- Groups of this account whose keys are lost, and who was asked to add it anew: members; then, where those told what only
  -- an admin may, the admins, who are to be asked or were.
  CREATE TABLE rejoin_asked (
    group_id TEXT PRIMARY KEY,
    asked_ms INTEGER NOT NULL,
    whom TEXT NOT NULL CHECK (whom IN ('members', 'admins-next', 'admins'))
  ) STRICT, WITHOUT ROWID;

  -- Messages to this account alone that were taken: none is taken twice while its epoch lasts, and after it none can be.
  CREATE TABLE taken_direct (
    group_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    PRIMARY KEY (group_id, message_id)
  ) STRICT, WITHOUT ROWID;

  -- Groups whose members at the relay are not those by their keys.
  CREATE TABLE list_repair (group_id TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- What all members of an epoch have in common: who has another for the same epoch was shown another history.
  CREATE TABLE epoch_mark (
    group_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    mark TEXT NOT NULL,
    PRIMARY KEY (group_id, epoch)
  ) STRICT, WITHOUT ROWID;

  -- Up to which epoch a person was told of it.
  CREATE TABLE mark_told (
    group_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (group_id, account_id)
  ) STRICT, WITHOUT ROWID;

  -- Whom to ask for theirs.
  CREATE TABLE mark_question (
    group_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    -- Whether something of theirs could not be read, or they only said another mark.
    in_trouble INTEGER NOT NULL,
    asked INTEGER NOT NULL DEFAULT 0,
    -- When that member last claimed to have been shown another history.
    claimed_ms INTEGER NOT NULL DEFAULT 0,
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

  -- Entries of a log whose time here is not the one that the relay says, or might not have been.
  CREATE TABLE log_place (
    group_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    PRIMARY KEY (group_id, seq)
  ) STRICT, WITHOUT ROWID;

  -- One moment by three clocks: how much time has passed, what this machine's clock said then, and the relay's.
  CREATE TABLE passed_time (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    passed_ms INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL,
    relay_ms INTEGER,
    -- The time before which it cannot be any more, should the clock have been set back: once both it and the relay said so.
    reached_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`
