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
  /** Makes the tables. A step that was released is never changed, so it may do what it does to any of them. */
  readonly migrations: string
  /** By folder or file below `source`: its tables. */
  readonly owners: Readonly<Record<string, readonly string[]>>
  /** Who else may. A guest that does it no longer fails the check, so that the list only shrinks by itself. */
  readonly guests: readonly Guest[]
}

const guestsOf = (
  { does, reason }: Pick<Guest, 'does' | 'reason'>,
  tables: Readonly<Record<string, readonly string[]>>,
): Guest[] => Object.entries(tables).flatMap(([table, all]) => all.map(by => ({ table, does, by, reason })))

/** Written where it is needed, not where it belongs: each of these is to become a function of its owner. */
const astray = { does: 'writes', reason: 'Left from the time before tables had owners.' } as const

const core: TableLaw = {
  source: 'packages/core/src',
  migrations: 'packages/core/src/storage/migrations.ts',
  owners: {
    storage: ['passed_time', 'record', 'sent_key'],
    journal: ['journal', 'mailbox', 'reader'],
    identity: ['account', 'key_package', 'person', 'profile'],
    groups: ['epoch_mark', 'log_place', 'mls_group', 'mls_state', 'pending_commit', 'ratchet', 'taken_direct'],
    files: ['dead_file', 'upload'],
    chats: ['chat', 'list_repair', 'lost_group', 'member', 'rejoin'],
    messages: [
      ...['message', 'outbox', 'gap', 'held_event', 'mark_question', 'mark_told', 'receipt_due'],
      ...['offered_data', 'poll', 'press', 'reaction', 'vote'],
    ],
  },
  guests: [
    ...guestsOf(astray, {
      account: ['sync'],
      chat: ['messages', 'sync'],
      dead_file: ['messages'],
      lost_group: ['sync'],
      mailbox: ['sync'],
      member: ['messages'],
      mls_group: ['chats', 'identity', 'messages', 'sync'],
      mls_state: ['chats'],
      person: ['chats'],
      record: ['identity'],
      taken_direct: ['messages'],
      upload: ['messages'],
      [nameFilledIn]: ['messages'],
    }),
    ...guestsOf(
      { does: 'reads', reason: 'A join: asked row by row, it would be slow.' },
      { chat: ['identity'], epoch_mark: ['messages'], message: ['identity'], outbox: ['files'] },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'How late it was when the client last ran is known by what it wrote last.' },
      { journal: ['storage'], message: ['storage'] },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'Left from the time before tables had owners.' },
      { message: ['sync'], pending_commit: ['chats'] },
    ),
  ],
}

const rows = (name: string): string => `store/sqlite/${name}-rows.ts`

const relay: TableLaw = {
  source: 'packages/relay/src',
  migrations: 'packages/relay/src/store/sqlite/migrations.ts',
  owners: {
    [rows('account')]: ['account', 'invite_use', 'profile'],
    [rows('key-package')]: ['key_package', 'last_resort'],
    [rows('contact')]: ['contact'],
    [rows('group')]: ['chat_group', 'member'],
    [rows('continuation')]: ['continuation', 'past_member'],
    [rows('entry')]: ['entry'],
    [rows('mailbox')]: ['mailbox'],
    [rows('blob')]: ['blob'],
    [rows('sweep')]: ['retention'],
  },
  guests: [
    ...guestsOf(
      {
        does: 'writes',
        reason: 'What an account has used is counted in its row: another table would be another page to write.',
      },
      { account: [rows('blob'), rows('contact'), rows('group'), rows('mailbox'), 'store/sqlite/day-bytes.ts'] },
    ),
    ...guestsOf(
      { does: 'writes', reason: 'An entry and its place in each mailbox are one step, and so is their end.' },
      { mailbox: [rows('entry'), rows('sweep')], entry: [rows('sweep')] },
    ),
    ...guestsOf(
      { does: 'writes', reason: 'The clock that was set decides what is past its time, and stands beside it.' },
      { retention: ['store/sqlite/set-clock.ts'] },
    ),
    ...guestsOf(
      { does: 'reads', reason: 'A join: asked row by row, it would be slow.' },
      {
        account: ['store/sqlite/mailbox-fill.ts'],
        chat_group: [rows('mailbox')],
        entry: [rows('mailbox'), 'store/sqlite/mailbox-fill.ts'],
        key_package: [rows('account')],
        mailbox: ['store/sqlite/mailbox-fill.ts'],
        member: [rows('contact'), rows('continuation'), rows('entry')],
        retention: [rows('mailbox')],
      },
    ),
  ],
}

export const tableLaws: readonly TableLaw[] = [core, relay]
