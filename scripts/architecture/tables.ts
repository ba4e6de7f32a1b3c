// The owner of each table: SQL that reads or writes it is in its owner's folder, or its guests are listed here with the reason.

/** The table of a statement whose name is inserted at run time. */
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
  /** They create the tables. A released step never changes, so it may access any of them. */
  readonly migrations: readonly string[]
  /** The tables of each folder or file below `source`. */
  readonly owners: Readonly<Record<string, readonly string[]>>
  /** Other folders with access. A guest without such an access fails the check, so that the list only shrinks. */
  readonly guests: readonly Guest[]
}

const guestsOf = (
  { does, reason }: Pick<Guest, 'does' | 'reason'>,
  tables: Readonly<Record<string, readonly string[]>>,
): Guest[] => Object.entries(tables).flatMap(([table, all]) => all.map(by => ({ table, does, by, reason })))

const core: TableLaw = {
  source: 'packages/core/src',
  migrations: ['migrations', 'early-schemas', 'first-chat-tables', 'first-message-tables', 'chat-scoped-keys'].map(
    name => `packages/core/src/storage/schema/${name}.ts`,
  ),
  owners: {
    storage: ['passed_time', 'record', 'sent_key'],
    journal: ['journal', 'mailbox', 'reader', 'receipt_event'],
    identity: ['account', 'key_package', 'person', 'profile', 'start_link', 'start_link_use'],
    groups: [
      'epoch_mark',
      'log_place',
      'mark_question',
      'mls_group',
      'mls_state',
      'offender',
      'pending_commit',
      'preview_key',
      'ratchet',
      'taken_direct',
    ],
    files: ['dead_file', 'stowed_file', 'upload'],
    chats: [
      ...['asked_join', 'chat', 'chat_picture', 'group_link', 'join_request', 'list_repair'],
      ...['lost_group', 'member', 'notice', 'refused_group', 'rejoin', 'rejoin_asked', 'removal'],
    ],
    messages: [
      ...['message', 'gap', 'held_event', 'receipt_due'],
      ...['offered_data', 'poll', 'press', 'reaction', 'vote'],
    ],
    'fork-detection': ['mark_told'],
    outbox: ['outbox'],
  },
  guests: [
    ...guestsOf(
      { does: 'reads', reason: 'A join: asked row by row, it would be slow.' },
      {
        chat: ['fork-detection', 'messages'],
        epoch_mark: ['fork-detection'],
        member: ['fork-detection'],
        mls_group: ['chats', 'fork-detection'],
        offender: ['chats'],
        preview_key: ['chats'],
        person: ['chats', 'messages/poll-tally.ts'],
      },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'A group in which a message waits for its answer is not dropped.' },
      { outbox: ['groups/superseded-groups.ts'] },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'Finds a time that neither a message nor a notice of the chat has.' },
      { message: ['chats/notices.ts'] },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'Triggers, which run inside SQLite: they note which chats a change concerns.' },
      {
        account: ['storage/transactions/topics.ts'],
        chat: ['storage/transactions/topics.ts'],
        group_link: ['storage/transactions/topics.ts'],
        message: ['storage/transactions/topics.ts'],
      },
    ),
  ],
}

const FORGETTING = 'One file lists all that a deleted account leaves behind: whoever adds a table sees what has to go.'

const relay: TableLaw = {
  source: 'packages/relay/src/store/sqlite',
  migrations: ['packages/relay/src/store/sqlite/schema/migrations.ts'],
  owners: {
    'accounts/account-rows.ts': ['account'],
    'accounts/invite-rows.ts': ['invite_use'],
    'tools/incarnation-rows.ts': ['incarnation'],
    'accounts/profile-rows.ts': ['profile'],
    'accounts/key-package-rows.ts': ['key_package', 'last_resort'],
    'accounts/contact-rows.ts': ['contact'],
    'groups/group-rows.ts': ['chat_group', 'member'],
    'groups/continuation-rows.ts': ['continuation', 'past_member'],
    'mailboxes/entry-rows.ts': ['entry'],
    'mailboxes/mailbox-rows.ts': ['mailbox'],
    'blobs/blob-rows.ts': ['blob'],
    'blobs/blob-part-rows.ts': ['blob_part', 'blob_upload'],
    'retention/retention-rows.ts': ['retention'],
    push: ['attention', 'push_key', 'push_subscription'],
  },
  guests: [
    ...guestsOf(
      { does: 'reads', reason: 'A join: asked row by row, it would be slow.' },
      {
        blob: ['accounts/account-rows.ts', 'blobs/blob-part-rows.ts'],
        account: ['blobs/blob-rows.ts', 'groups/group-rows.ts', 'mailboxes/mailbox-rows.ts', 'push'],
        chat_group: ['mailboxes/mailbox-rows.ts', 'push'],
        entry: ['mailboxes/mailbox-rows.ts', 'push'],
        key_package: ['accounts/account-rows.ts'],
        mailbox: ['accounts/account-rows.ts', 'push'],
        member: ['accounts/contact-rows.ts', 'groups/continuation-rows.ts', 'mailboxes/mailbox-rows.ts', 'push'],
        retention: ['mailboxes/mailbox-rows.ts'],
      },
    ),
    ...guestsOf(
      { does: 'writes', reason: FORGETTING },
      Object.fromEntries(
        [
          ...['account', 'blob', 'contact', 'continuation', 'key_package', 'last_resort', 'mailbox', 'profile'],
          'push_subscription',
        ].map(table => [table, ['retention/deleted-rows.ts']]),
      ),
    ),
    ...guestsOf(
      { does: 'reads', reason: FORGETTING },
      Object.fromEntries(
        ['account', 'chat_group', 'contact', 'mailbox', 'member'].map(table => [table, ['retention/deleted-rows.ts']]),
      ),
    ),
  ],
}

const sharedRelay: TableLaw = {
  source: 'packages/relay/src/store/postgres',
  migrations: [
    ...[
      'first-tables',
      'position-sequence',
      'outbox-floors',
      'log-ends',
      'append-entries',
      'raise-functions',
      'push-tables',
    ],
  ].map(name => `packages/relay/src/store/postgres/schema/${name}.ts`),
  owners: {
    'accounts/account-rows.ts': ['account', 'account_total'],
    'accounts/invite-rows.ts': ['invite', 'invite_use'],
    'accounts/profile-rows.ts': ['profile'],
    'accounts/key-package-rows.ts': ['key_package', 'last_resort'],
    'accounts/contact-rows.ts': ['contact'],
    'groups/group-rows.ts': ['chat_group', 'log_end'],
    'groups/member-rows.ts': ['member'],
    'groups/continuation-rows.ts': ['continuation', 'past_member'],
    'mailboxes/mailbox-rows.ts': ['mailbox'],
    'blobs/blob-rows.ts': ['blob'],
    'blobs/blob-part-rows.ts': ['blob_part', 'blob_upload'],
    'retention/retention-rows.ts': ['retention'],
    'mailboxes/acknowledgements.ts': ['progress'],
    'accounts/day-bytes.ts': ['day_bytes'],
    'schema/log-functions.ts': ['device', 'entry'],
    'schema/fan-out-functions.ts': ['head', 'outbox'],
    'connection/relay-claim.ts': ['incarnation'],
    push: ['attention', 'push_key', 'push_subscription'],
  },
  guests: [
    ...guestsOf(
      { does: 'writes', reason: 'One statement does all that belongs together: every other would be a round trip.' },
      {
        account: ['blobs/blob-rows.ts', 'accounts/contact-rows.ts', 'log/create-group.ts', 'groups/member-rows.ts'],
        chat_group: [
          'schema/append-functions.ts',
          'log/create-group.ts',
          'schema/log-functions.ts',
          'groups/member-rows.ts',
          'retention/sweep.ts',
        ],
        contact: ['schema/append-functions.ts', 'schema/log-functions.ts', 'retention/sweep.ts'],
        continuation: ['retention/sweep.ts'],
        day_bytes: ['schema/append-functions.ts', 'schema/log-functions.ts'],
        device: ['schema/claim-functions.ts', 'schema/serial-functions.ts'],
        entry: ['schema/append-functions.ts', 'retention/sweep.ts'],
        head: ['schema/append-functions.ts', 'schema/partition-functions.ts', 'tools/restored-database.ts'],
        incarnation: ['tools/restored-database.ts'],
        mailbox: [
          'schema/append-functions.ts',
          'schema/fan-out-functions.ts',
          'schema/fan-out-turns.ts',
          'retention/sweep.ts',
        ],
        member: ['log/create-group.ts', 'schema/fan-out-functions.ts', 'schema/fan-out-turns.ts', 'retention/sweep.ts'],
        outbox: ['schema/append-functions.ts', 'schema/fan-out-turns.ts', 'schema/log-functions.ts'],
        progress: ['schema/append-functions.ts'],
        past_member: ['retention/sweep.ts'],
        retention: ['retention/sweep.ts'],
        attention: ['log/attention-statement.ts', 'retention/sweep.ts'],
      },
    ),
    ...guestsOf(
      {
        does: 'reads',
        reason: 'A join, or a look inside a transaction that is under way: asked elsewhere, it would be slow.',
      },
      {
        account: [
          'accounts/account-numbers.ts',
          'mailboxes/acknowledgements.ts',
          'schema/append-functions.ts',
          'log/append-to-log.ts',
          'schema/claim-functions.ts',
          'accounts/device-rows.ts',
          'groups/group-rows.ts',
          'schema/log-functions.ts',
          'mailboxes/mailbox-rows.ts',
          'accounts/profile-rows.ts',
          'push',
          'schema/serial-functions.ts',
          'tools/store-counts.ts',
          'retention/sweep.ts',
        ],
        account_total: ['tools/store-counts.ts'],
        blob: ['accounts/account-rows.ts', 'blobs/blob-part-rows.ts', 'tools/store-counts.ts'],
        attention: ['retention/sweep.ts'],
        chat_group: ['schema/append-functions.ts', 'mailboxes/mailbox-rows.ts', 'push', 'tools/store-counts.ts'],
        contact: ['retention/sweep.ts'],
        day_bytes: ['accounts/account-rows.ts'],
        device: ['schema/append-functions.ts', 'schema/claim-functions.ts', 'accounts/device-rows.ts', 'push'],
        entry: [
          'schema/append-functions.ts',
          'groups/group-rows.ts',
          'mailboxes/mailbox-fill.ts',
          'mailboxes/mailbox-rows.ts',
          'push',
          'schema/partition-functions.ts',
          'retention/partitions.ts',
          'tools/store-counts.ts',
        ],
        head: ['schema/append-functions.ts', 'schema/partition-tables.ts', 'retention/partitions.ts'],
        key_package: ['accounts/account-rows.ts'],
        mailbox: ['mailboxes/acknowledgements.ts', 'schema/append-functions.ts', 'mailboxes/mailbox-fill.ts', 'push'],
        member: [
          'groups/continuation-rows.ts',
          'groups/group-rows.ts',
          'mailboxes/mailbox-rows.ts',
          'push',
          'schema/fan-out-turns.ts',
          'schema/log-functions.ts',
        ],
        outbox: [
          'schema/append-functions.ts',
          'schema/fan-out-turns.ts',
          'mailboxes/mailbox-rows.ts',
          'push',
          'retention/partitions.ts',
          'retention/sweep.ts',
        ],
        progress: ['accounts/account-rows.ts', 'mailboxes/mailbox-fill.ts', 'mailboxes/mailbox-rows.ts', 'push'],
        retention: [
          'mailboxes/mailbox-fill.ts',
          'mailboxes/mailbox-rows.ts',
          'retention/partitions.ts',
          'tools/store-counts.ts',
        ],
      },
    ),
    ...guestsOf(
      { does: 'writes', reason: FORGETTING },
      Object.fromEntries(
        [
          ...['account', 'blob', 'chat_group', 'contact', 'continuation', 'day_bytes', 'device', 'key_package'],
          ...['last_resort', 'mailbox', 'member', 'profile', 'progress', 'push_subscription'],
        ].map(table => [table, ['retention/deleted-rows.ts']]),
      ),
    ),
    ...guestsOf(
      { does: 'reads', reason: FORGETTING },
      Object.fromEntries(
        ['account', 'chat_group', 'contact', 'mailbox', 'member'].map(table => [table, ['retention/deleted-rows.ts']]),
      ),
    ),
  ],
}

export const tableLaws: readonly TableLaw[] = [core, relay, sharedRelay]
