// The client core: what gateways, apps and scripted people are built on.

export type { Idempotency } from './chats/sent-keys.ts'
export { type ChatTarget, Client, type Me } from './client.ts'
export type { RequestPolicy } from './context.ts'
export type { Within } from './deadline.ts'
export type { FirstStart } from './identity/account.ts'
export type { Journal, JournalEntry, JournalEvent } from './journal/journal.ts'
export { type Log, silentLog } from './log.ts'
export type { NewText } from './messages/send-text.ts'
export type { RelaySocket, SocketEvents, SocketFactory } from './relay-link/socket.ts'
