// The one table of errors and the one class that carries them. A message says what is wrong and what to do next.

type Details = Record<string, string | number | boolean | undefined>

const table = {
  // What a caller asked for cannot be.
  'bad-field': d => `${d['field']}: ${d['rule']}.`,
  'chat-not-found': d => `There is no chat ${d['chat']}.`,
  'message-not-found': d => `There is no message ${d['message']} in this chat.`,
  'account-not-found': d => `No account ${d['account']} is registered on the relay.`,
  'not-own-message': () => 'Only the sender of a message can change it or delete it for everyone.',
  'edit-too-late': () => 'A message can be edited for 48 hours.',
  'poll-not-editable': () => 'A poll cannot be edited.',
  'not-a-poll': () => 'The message is not a poll.',
  'poll-closed': () => 'The poll is closed.',
  'not-own-poll': () => 'Only the sender of a poll can close it.',
  'press-not-found': d => `There is no press ${d['press']}.`,
  'press-too-late': () => 'A press can be answered for one minute.',
  'press-answered': () => 'The press was answered already.',
  'no-file': () => 'The message has no file.',
  'file-gone': () => 'The file is no longer at the relay: it was deleted, or its time is over.',
  'file-damaged': () => 'The file cannot be had: its bytes at the relay are not the ones that were sent.',
  'idempotency-conflict': () => 'Idempotency-Key: the key was used with another request.',
  'chat-is-request': () => 'The chat is a request: accept it before you write to it.',
  'chat-not-request': () => 'The chat is not a request: leave it, or block its person.',
  'chat-blocked': () => 'The person is blocked: unblock them before you write to them.',
  'chat-left': () => 'This account is no longer in the chat.',
  'not-a-group': () => 'The chat is not a group.',
  'not-an-admin': () => 'Only an admin of the group may remove people and name admins.',
  'last-admin': () => 'A group keeps one admin: make somebody else an admin first.',
  'not-a-member': d => `The account ${d['account']} is not a member of the chat.`,
  'group-full': d => `A group has at most ${d['max']} members.`,
  'new-people-limit': d =>
    `The relay's limit of ${d['limit']} new people a day is reached; it ends at ${new Date(Number(d['retryAtMs'])).toISOString()}.`,
  'invite-malformed': () => 'The invite link is not complete: copy the whole link, with what stands behind the #.',
  // The HTTP API.
  'token-wrong': () => 'The bot token is missing or wrong: send the header Authorization: Bearer <BOT_TOKEN>.',
  'route-not-found': d => `There is no ${d['method']} ${d['path']}.`,
  'method-not-found': d => `There is no method ${d['method']}.`,
  'updates-off': () => 'This gateway keeps no updates: it was started with UPDATES=off.',
  'webhook-set': () => 'Updates are delivered to WEBHOOK_URL: start the gateway without it to poll for them.',
  'hook-not-found': () => 'There is no such hook.',
  'hook-token-wrong': () => 'X-Vcs-Token: it differs from the secret of the hook.',
  'hook-chat-gone': () => 'The bot is no longer in the chat of this hook.',
  'hooks-full': d => `There are ${d['max']} hooks already: remove one that is not needed.`,
  // The relay, as a client sees it.
  'relay-unreachable': () => 'The relay cannot be reached; try again in a few seconds.',
  'chat-healing': () => 'The keys of this chat are being made anew; try again in a few seconds.',
  'relay-full': () => "The relay has no room: its disk is full. The relay's operator has to make room.",
  'relay-failing': () => "The relay cannot use its disk or its database. The relay's operator has to look after it.",
  'send-in-doubt': () => 'The relay did not answer in time; whether it has the message is found out on reconnect.',
  'not-registered': () => 'The account is not registered on the relay yet; try again in a few seconds.',
  'account-unknown': () => 'The relay does not know this account: it is another relay, or it lost its data.',
  'relay-not-home': d =>
    `The relay at ${d['relay']} does not let this account in, which is registered at ${d['home']}: name that one, or the address to which it has moved. It says: ${d['why']}`,
  'relay-broken': d => `The relay answered against the protocol: ${d['what']}.`,
  // The relay's answers.
  'frame-malformed': d => `The frame is malformed: ${d['what']}.`,
  'version-unsupported': d =>
    `The other side speaks version ${d['version']} of the protocol and this one version ${d['spoken']}: ${Number(d['version']) > Number(d['spoken']) ? 'this program' : 'the other side'} is too old.`,
  unauthenticated: d => `The connection is not authenticated: ${d['why']}.`,
  'daily-bytes-limit': d =>
    `The relay's limit of ${d['limit']} bytes a day for one account is reached; it ends at ${new Date(Number(d['retryAtMs'])).toISOString()}.`,
  'mailbox-full': d =>
    `Too much of what you sent waits unread for the account ${d['account']}: send again when it has read some of it.`,
  'registration-closed': () => 'This relay takes no new accounts.',
  'invite-required': () => 'This relay takes new accounts by invite only: give the code of one.',
  'invite-wrong': () => 'There is no such invite at the relay: copy the whole code, or ask for another.',
  'invite-used': () => 'The invite has been used already: ask for another.',
  'invite-expired': () => 'The invite has expired: ask for another.',
  'account-banned': () => "The relay's operator has shut this account out: ask them why.",
  'group-unknown': () => 'There is no such group, or the account is not a member of it.',
  'group-exists': () => 'A group with this id exists already.',
  'key-package-missing': d => `The account ${d['account']} has no key package left.`,
  'rate-limited': d => `Too many requests (${d['what']}); slow down.`,
  'too-large': d => `${d['what']} is larger than ${d['max']} bytes.`,
  'blob-unknown': () => 'There is no such blob.',
  'relay-stopping': () => 'The relay is stopping; connect again in a moment.',
  // Cryptography.
  'bad-certificate': d => `The device certificate does not hold: ${d['why']}.`,
  // What a person has kept so as not to lose the account.
  'recovery-not-ours': () => 'This is not a recovery file or a backup of Postern.',
  'recovery-newer': () => 'The file was written by a newer version of this program.',
  'recovery-damaged': d => `The file is damaged: ${d['why']}. Use another copy of it.`,
  'recovery-words-wrong': () => 'The words do not open this file: check each of the six, and their order.',
  // Storage.
  'database-locked': d => `The data directory ${d['directory']} is in use by another process.`,
  'database-key-missing': d =>
    `There is a database in ${d['directory']} but no db.key: restore the key from the backup.`,
  'database-key-wrong': d =>
    `The database in ${d['directory']} cannot be opened with its db.key: restore the key that belongs to it.`,
  'database-unusable': d => `The data directory ${d['directory']} cannot be used: ${d['why']}.`,
  'database-damaged': () => 'The database is damaged: restore the data directory from a backup.',
  'database-newer': d => `The database in ${d['directory']} was written by a newer version of this program.`,
  'database-unreachable': d => `The database at ${d['place']} cannot be used: ${d['why']}.`,
  'database-too-old': d =>
    `The database at ${d['place']} is too old: PostgreSQL ${d['version']} or a newer one is needed.`,
  'database-in-use': d => `A relay works on the database at ${d['place']}: stop every one of them first.`,
  'database-moving': d => `The database at ${d['place']} is being moved: wait until that is done.`,
  'database-moved': d => `The relay that was in ${d['directory']} has moved to ${d['place']}: start it there.`,
  'database-not-empty': d => `There is another relay in ${d['place']} already: name a place without one.`,
  'database-older': d =>
    `The database in ${d['place']} is of another version of this program: start the relay once with this one, and stop it.`,
  unavailable: () => 'The database cannot be reached, or has too much to do; try again in a few seconds.',
  'storage-full': () => 'The disk is full: nothing can be written until there is room.',
  'storage-failed': () => 'The disk cannot be read or written: try again when it works; the log says more.',
  'descriptors-used-up': () => 'The program has no file descriptors left; try again in a moment.',
  // The control socket.
  'not-running': d => `Nothing runs on the data directory ${d['directory']}: start it first.`,
  // Backups.
  'backup-running': () => 'Another backup of this data directory is being made: wait until it is done.',
  'backup-overtaken': () =>
    'The copy took so long that the log of the database became too large: nothing was kept. Try again when there is less to do, or with --temp on a faster disk.',
  'backup-refused': d => `The backup cannot be used: ${d['why']}.`,
  // The installation.
  'library-unpatched': () =>
    'The MLS library lacks our corrections: its install script did not run, or ran for an older version. Run `npm ci` with scripts, or `npm run postinstall`, in the directory of Postern.',
  // A fault of ours.
  internal: () => 'A fault of the server; its log says more.',
  stopping: () => 'The program is stopping.',
} satisfies Record<string, (details: Details) => string>

export type ErrorCode = keyof typeof table

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(table, code)

export class CodedError extends Error {
  readonly code: ErrorCode
  readonly details: Details

  constructor(code: ErrorCode, details: Details = {}, options: { cause?: unknown; message?: string } = {}) {
    const describe: (details: Details) => string = table[code]
    super(options.message ?? describe(details), options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'CodedError'
    this.code = code
    this.details = details
  }
}

export const isCoded = (error: unknown, ...codes: ErrorCode[]): error is CodedError =>
  error instanceof CodedError && (codes.length === 0 || codes.includes(error.code))
