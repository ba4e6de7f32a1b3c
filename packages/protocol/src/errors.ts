// The one table of errors and the one class that carries them. A message says what is wrong and what to do next.

type Details = Record<string, string | number | boolean | undefined>

const table = {
  // Requests that cannot be fulfilled.
  'bad-field': d => `${d['field']}: ${d['rule']}.`,
  'chat-not-found': d => `There is no chat ${d['chat']}.`,
  'message-not-found': d => `There is no message ${d['message']} in this chat.`,
  'account-not-found': d => `No account ${d['account']} is registered on the relay.`,
  'not-own-message': () => 'Only the sender of a message can change it or delete it for everyone.',
  'edit-too-late': () => 'The message is older than 48 hours and can no longer be edited. Send a new one.',
  'poll-not-editable': () => 'A poll cannot be edited. Close it and send a new one.',
  'not-a-poll': () => 'The message is not a poll.',
  'poll-closed': () => 'The poll is closed.',
  'not-own-poll': () => 'Only the sender of a poll can close it.',
  'press-not-found': d => `There is no press ${d['press']}.`,
  'press-too-late': () => 'The press is older than one minute and can no longer be answered.',
  'press-answered': () => 'The press has already been answered.',
  'no-file': () => 'The message has no file.',
  'file-gone': () =>
    'The relay no longer has the file: it was deleted or has expired. Ask the sender to send it again.',
  'file-damaged': () =>
    "The file is corrupted: the relay's copy does not match what was sent. Ask the sender to send it again.",
  'idempotency-conflict': () => 'Idempotency-Key: was already used with a different request. Use a new key.',
  'chat-is-request': () => 'The chat is a request. Accept it before you write to it.',
  'chat-not-request': () => 'The chat is not a request. Leave it, or block the person.',
  'chat-blocked': () => 'The person is blocked. Unblock them before you write to them.',
  'chat-left': () => 'This account is no longer in the chat.',
  'not-a-group': () => 'The chat is not a group.',
  'not-an-admin': () => 'Only an admin of the group can remove people, appoint admins and make links to it.',
  'last-admin': () => 'A group needs an admin. Make somebody else an admin first.',
  'not-a-member': d => `The account ${d['account']} is not a member of the chat.`,
  'group-full': d => `A group can have at most ${d['max']} members.`,
  'new-people-limit': d =>
    `The relay allows ${d['limit']} new people a day, and you have reached that limit. Try again after ${new Date(Number(d['retryAtMs'])).toISOString()}.`,
  'invite-malformed': () => 'The invite link is incomplete. Copy the whole link, including the part after the #.',
  'group-link-not-found': () => 'There is no such link to the group. It may have been revoked.',
  'group-links-full': d => `The group already has ${d['max']} of your links. Revoke one that you no longer need.`,
  'join-request-not-found': d => `The account ${d['account']} does not wait for a place in the group.`,
  // The HTTP API.
  'token-wrong': () => 'The bot token is missing or wrong. Send the header Authorization: Bearer <BOT_TOKEN>.',
  'scope-missing': d => `The token of this request needs the scope ${d['scope']}. Create one with POST /v1/tokens.`,
  'outside-token': d => `The token of this request is limited to some chats. ${d['rule']}.`,
  'host-unknown': () =>
    'The console is not served under this name. Add the name to CONSOLE_HOSTS, or open the console by the address of this machine.',
  'token-not-found': () => 'There is no such token.',
  'tokens-full': d => `There are already ${d['max']} tokens. Revoke one that you no longer need.`,
  'mcp-token-wrong': () => 'The token is missing or wrong. Send the header Authorization: Bearer <MCP_TOKEN>.',
  'person-not-found': d =>
    `The bot does not know the account ${d['account']}. It knows people who share a chat with it or have written to it.`,
  'route-not-found': d => `There is no ${d['method']} at this address. GET /openapi.json lists all endpoints.`,
  'method-not-found': d => `There is no method ${d['method']}.`,
  'updates-off': () =>
    'This gateway keeps no updates because UPDATES is off. Start it without UPDATES=off to poll for them.',
  'webhook-set': () => 'Updates are delivered to WEBHOOK_URL. Start the gateway without it to poll for them.',
  'webhook-set-here': () => 'Updates are delivered to a webhook. Remove it with DELETE /v1/webhook to poll for them.',
  'webhook-in-settings': () =>
    'The webhook is set by WEBHOOK_URL. Change that setting, or start the gateway without it to set a webhook here.',
  'webhook-missing': () => 'No webhook is set. Set one with PUT /v1/webhook.',
  'hook-not-found': () => 'There is no such hook.',
  'hook-token-wrong': () => 'X-Vcs-Token: must be the secret of the hook.',
  'hook-proof-wrong': d => `${d['header']}: must prove the secret with which the hook was created.`,
  'hook-chat-gone': () => 'The bot is no longer in the chat of this hook.',
  'hooks-full': d => `There are already ${d['max']} hooks. Remove one that you no longer need.`,
  'reader-not-found': d => `There is no reader ${d['reader']}.`,
  'readers-full': d => `There are already ${d['max']} readers. Delete one that you no longer need.`,
  'start-link-not-found': () => 'There is no such invite: it was revoked, or it has expired.',
  'start-links-full': d => `There are already ${d['max']} invites. Revoke some that you no longer need.`,
  // The relay, as a client sees it.
  'relay-unreachable': () => 'The relay cannot be reached. Try again in a few seconds.',
  'chat-healing': () => 'The chat is getting new keys. Try again in a few seconds.',
  'relay-full': () => "The relay's disk is full. The relay's operator must free space.",
  'relay-failing': () => "The relay cannot use its disk or its database. Ask the relay's operator to check it.",
  'send-in-doubt': () =>
    'The relay did not answer in time, so the message may or may not have been sent. Retry with the same Idempotency-Key.',
  'not-registered': () => 'The account is not registered on the relay yet. Try again in a few seconds.',
  'account-unknown': () =>
    'The relay does not know this account. It is a different relay, it lost its data, or the account was deleted.',
  'account-deleted': () =>
    'The other person has deleted their account. Nobody receives messages in this chat any more.',
  'relay-not-home': d =>
    `The relay at ${d['relay']} does not admit this account, which is registered at ${d['home']}. Use that address, or the address to which that relay has moved. The relay says: ${d['why']}`,
  'relay-broken': d => `The relay violated the protocol: ${d['what']}.`,
  // The relay's answers.
  'frame-malformed': d => `The frame is malformed: ${d['what']}.`,
  'version-unsupported': d =>
    `The other side uses version ${d['version']} of the protocol, and this side uses version ${d['spoken']}. Update ${Number(d['version']) > Number(d['spoken']) ? 'this program' : 'the other side'}.`,
  unauthenticated: d => `The connection is not authenticated: ${d['why']}.`,
  'daily-bytes-limit': d =>
    `The relay allows an account ${d['limit']} bytes a day, and you have reached that limit. Try again after ${new Date(Number(d['retryAtMs'])).toISOString()}.`,
  'mailbox-full': d =>
    `The account ${d['account']} has too many unread messages from you. Send again when it has read some of them.`,
  'registration-closed': () => 'This relay does not accept new accounts.',
  'invite-required': () => 'This relay accepts new accounts by invite only. Give an invite code.',
  'invite-wrong': () => 'The relay does not know this invite. Copy the whole code, or ask for a new invite.',
  'invite-used': () => 'The invite has already been used. Ask for a new one.',
  'invite-expired': () => 'The invite has expired. Ask for a new one.',
  'account-banned': () => "The relay's operator has banned this account. Ask them why.",
  'group-unknown': () => 'There is no such group, or the account is not a member of it.',
  'group-exists': () => 'A group with this id already exists.',
  'key-package-missing': d => `The account ${d['account']} has no key package left. Try again later.`,
  'rate-limited': d => `Too many requests (${d['what']}). Slow down.`,
  'too-large': d => `${d['what']} is larger than ${d['max']} bytes.`,
  'blob-unknown': () => 'There is no such blob.',
  'push-off': () => 'This relay sends no push messages.',
  'push-endpoint': d => `The relay does not push to this address: ${d['rule']}.`,
  'relay-stopping': () => 'The relay is stopping. Reconnect in a moment.',
  // Cryptography.
  'bad-certificate': d => `The device certificate is not valid: ${d['why']}.`,
  // Files that protect a person from losing the account.
  'recovery-not-ours': () => 'This is not a Postern recovery file or backup.',
  'recovery-newer': () => 'A newer version of this program wrote the file. Update this program.',
  'recovery-damaged': d => `The file is damaged: ${d['why']}. Use another copy of it.`,
  'recovery-words-wrong': () => 'The words do not open this file. Check each of the six words and their order.',
  // Storage.
  'database-locked': d => `The data directory ${d['directory']} is in use by another process. Stop that process first.`,
  'database-key-missing': d => `There is a database in ${d['directory']} but no db.key. Restore the key from a backup.`,
  'passphrase-needed': () => 'The account is locked. Enter its passphrase.',
  'passphrase-wrong': () => 'The passphrase is wrong.',
  'database-key-wrong': d =>
    `The database in ${d['directory']} cannot be opened with its db.key. Restore the key that belongs to it.`,
  'database-missing': d =>
    `There was an account in ${d['directory']}, but its database is missing. Restore it from a backup.`,
  'database-unusable': d => `The data directory ${d['directory']} cannot be used: ${d['why']}.`,
  'database-damaged': () => 'The database is damaged. Restore the data directory from a backup.',
  'database-newer': d =>
    `A newer version of this program wrote the database in ${d['directory']}. Update this program.`,
  'database-unreachable': d => `The database at ${d['place']} cannot be used: ${d['why']}.`,
  'database-too-old': d =>
    `An old version of this program wrote ${d['directory']}, and this version cannot read it. Only ${d['version']} can open it.`,
  'postgres-too-old': d => `The database at ${d['place']} is too old. Use PostgreSQL ${d['version']} or newer.`,
  'database-in-use': d => `A relay is using the database at ${d['place']}. Stop every relay first.`,
  'database-moving': d => `The database at ${d['place']} is being moved. Wait until the move is complete.`,
  'database-moved': d => `The relay in ${d['directory']} has moved to ${d['place']}. Start it there.`,
  'database-replaced': d => `The database at ${d['place']} was restored while this relay ran. Restart the relay.`,
  'database-not-empty': d => `There is already another relay in ${d['place']}. Choose a place without one.`,
  'database-older': d =>
    `The database in ${d['place']} is from another version of this program. Start the relay once with this version, then stop it.`,
  unavailable: () => 'The database is unreachable or overloaded. Try again in a few seconds.',
  'storage-full': () => 'The disk is full. Nothing can be written until there is free space.',
  'storage-failed': () => 'The disk cannot be read or written. See the log, and try again when the disk works.',
  'descriptors-used-up': () => 'The program has no file descriptors left. Try again in a moment.',
  // The control socket.
  'not-running': d => `Nothing is running on the data directory ${d['directory']}. Start it first.`,
  // Backups.
  'backup-running': () => 'Another backup of this data directory is running. Wait until it is done.',
  'backup-overtaken': () =>
    'The backup took so long that the log of the database became too large, and nothing was kept. Try again when there is less load, or with --temp on a faster disk.',
  'backup-refused': d => `The backup cannot be used: ${d['why']}.`,
  // The installation.
  'library-unpatched': () =>
    'The MLS library lacks our patch: its install script did not run, or ran for an older version. Run `npm ci` with scripts, or `npm run postinstall`, in the directory of Postern.',
  // A fault of ours.
  internal: () => 'The server failed to handle the request. See its log.',
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
