// Whose each table is: SQL that reads or writes it stands in its owner's folder, or its guests are named here with the reason.

/** Stands for the table of a statement whose name is put in when it runs. */
export const nameFilledIn = '(name filled in)'

export interface Guest {
  readonly table: string
  readonly does: 'reads' | 'writes'
  /** A folder or file below `source`. */
  readonly by: string
  readonly reason: string
}

export interface TableLaw {
  /** The folder whose SQL is checked. */
  readonly source: string
  /** Make the tables. A step that was released is never changed, so it may do what it does to any of them. */
  readonly migrations: readonly string[]
  /** By folder or file below `source`: its tables. */
  readonly owners: Readonly<Record<string, readonly string[]>>
  /** Who else may. A guest that does it no longer fails the check, so that the list only shrinks by itself. */
  readonly guests: readonly Guest[]
}

const guestsOf = (
  { does, reason }: Pick<Guest, 'does' | 'reason'>,
  tables: Readonly<Record<string, readonly string[]>>,
): Guest[] => Object.entries(tables).flatMap(([table, all]) => all.map(by => ({ table, does, by, reason })))

const core: TableLaw = {
  source: 'packages/core/src',
  migrations: ['migrations', 'first-chat-tables', 'first-message-tables'].map(
    name => `packages/core/src/storage/${name}.ts`,
  ),
  owners: {
    storage: ['passed_time', 'record', 'sent_key'],
    journal: ['journal', 'mailbox', 'reader'],
    identity: ['account', 'key_package', 'person', 'profile'],
    groups: [
      'epoch_mark',
      'log_place',
      'mark_question',
      'mls_group',
      'mls_state',
      'pending_commit',
      'ratchet',
      'taken_direct',
    ],
    files: ['dead_file', 'stowed_file', 'upload'],
    chats: ['chat', 'list_repair', 'lost_group', 'member', 'notice', 'rejoin', 'rejoin_asked'],
    messages: [
      ...['message', 'gap', 'held_event', 'receipt_due'],
      ...['offered_data', 'poll', 'press', 'reaction', 'vote'],
    ],
    histories: ['mark_told'],
    outbox: ['outbox'],
  },
  guests: [
    ...guestsOf(
      { does: 'reads', reason: 'A join: asked row by row, it would be slow.' },
      {
        chat: ['histories', 'messages'],
        epoch_mark: ['histories'],
        member: ['histories'],
        mls_group: ['chats', 'histories'],
        person: ['chats', 'messages/poll-tally.ts'],
      },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'Finds a time that neither a message nor a notice of the chat has.' },
      { message: ['chats/notices.ts'] },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'Triggers, which run inside SQLite: they note which chats a change concerns.' },
      { account: ['storage/topics.ts'], chat: ['storage/topics.ts'], message: ['storage/topics.ts'] },
    ),
  ],
}

const rows = (name: string): string => `${name}-rows.ts`

const relay: TableLaw = {
  source: 'packages/relay/src/store/sqlite',
  migrations: ['packages/relay/src/store/sqlite/migrations.ts'],
  owners: {
    [rows('account')]: ['account'],
    [rows('invite')]: ['invite_use'],
    [rows('incarnation')]: ['incarnation'],
    [rows('profile')]: ['profile'],
    [rows('key-package')]: ['key_package', 'last_resort'],
    [rows('contact')]: ['contact'],
    [rows('group')]: ['chat_group', 'member'],
    [rows('continuation')]: ['continuation', 'past_member'],
    [rows('entry')]: ['entry'],
    [rows('mailbox')]: ['mailbox'],
    [rows('blob')]: ['blob'],
    [rows('blob-part')]: ['blob_part', 'blob_upload'],
    [rows('retention')]: ['retention'],
  },
  guests: guestsOf(
    { does: 'reads', reason: 'A join: asked row by row, it would be slow.' },
    {
      blob: [rows('account'), rows('blob-part')],
      account: [rows('blob'), rows('group'), rows('mailbox')],
      chat_group: [rows('mailbox')],
      entry: [rows('mailbox')],
      key_package: [rows('account')],
      mailbox: [rows('account')],
      member: [rows('contact'), rows('continuation'), rows('mailbox')],
      retention: [rows('mailbox')],
    },
  ),
}

const sharedRelay: TableLaw = {
  source: 'packages/relay/src/store/postgres',
  migrations: ['packages/relay/src/store/postgres/first-tables.ts'],
  owners: {
    [rows('account')]: ['account', 'account_total'],
    [rows('invite')]: ['invite', 'invite_use'],
    [rows('profile')]: ['profile'],
    [rows('key-package')]: ['key_package', 'last_resort'],
    [rows('contact')]: ['contact'],
    [rows('group')]: ['chat_group'],
    [rows('member')]: ['member'],
    [rows('continuation')]: ['continuation', 'past_member'],
    [rows('mailbox')]: ['mailbox'],
    [rows('blob')]: ['blob'],
    [rows('blob-part')]: ['blob_part', 'blob_upload'],
    [rows('retention')]: ['retention'],
    'acknowledgements.ts': ['progress'],
    'day-bytes.ts': ['day_bytes'],
    'log-functions.ts': ['device', 'entry'],
    'fan-out-functions.ts': ['head', 'outbox'],
    'postgres-store.ts': ['incarnation'],
  },
  guests: [
    ...guestsOf(
      { does: 'writes', reason: 'One statement does all that belongs together: every other would be a round trip.' },
      {
        account: ['blob-rows.ts', 'contact-rows.ts', 'create-group.ts', 'member-rows.ts'],
        chat_group: ['append-functions.ts', 'create-group.ts', 'log-functions.ts', 'member-rows.ts', 'sweep.ts'],
        contact: ['append-functions.ts', 'log-functions.ts'],
        continuation: ['sweep.ts'],
        day_bytes: ['append-functions.ts', 'log-functions.ts'],
        device: ['serial-functions.ts'],
        entry: ['append-functions.ts', 'sweep.ts'],
        head: ['append-functions.ts', 'partition-functions.ts', 'restored-database.ts'],
        incarnation: ['restored-database.ts'],
        mailbox: ['append-functions.ts', 'fan-out-functions.ts', 'sweep.ts'],
        member: ['create-group.ts', 'fan-out-functions.ts', 'sweep.ts'],
        outbox: ['append-functions.ts', 'log-functions.ts'],
        progress: ['append-functions.ts'],
        past_member: ['sweep.ts'],
        retention: ['sweep.ts'],
      },
    ),
    ...guestsOf(
      {
        does: 'reads',
        reason: 'A join, or a look inside a transaction that is under way: asked elsewhere, it would be slow.',
      },
      {
        account: [
          'account-numbers.ts',
          'acknowledgements.ts',
          'append-functions.ts',
          'device-rows.ts',
          'group-rows.ts',
          'log-functions.ts',
          'mailbox-rows.ts',
          'profile-rows.ts',
          'serial-functions.ts',
          'store-figures.ts',
          'sweep.ts',
        ],
        account_total: ['store-figures.ts'],
        blob: ['account-rows.ts', 'blob-part-rows.ts', 'store-figures.ts'],
        chat_group: ['append-functions.ts', 'mailbox-rows.ts', 'store-figures.ts'],
        day_bytes: ['account-rows.ts'],
        device: ['append-functions.ts', 'device-rows.ts'],
        entry: [
          'append-functions.ts',
          'group-rows.ts',
          'mailbox-fill.ts',
          'mailbox-rows.ts',
          'partition-functions.ts',
          'partitions.ts',
          'store-figures.ts',
        ],
        head: ['append-functions.ts', 'partition-tables.ts', 'partitions.ts'],
        key_package: ['account-rows.ts'],
        mailbox: ['acknowledgements.ts', 'append-functions.ts', 'mailbox-fill.ts'],
        member: ['continuation-rows.ts', 'group-rows.ts', 'log-functions.ts'],
        outbox: ['append-functions.ts', 'partitions.ts', 'sweep.ts'],
        progress: ['account-rows.ts', 'mailbox-fill.ts', 'mailbox-rows.ts'],
        retention: ['mailbox-fill.ts', 'mailbox-rows.ts', 'partitions.ts', 'store-figures.ts'],
      },
    ),
  ],
}

export const tableLaws: readonly TableLaw[] = [core, relay, sharedRelay]
