// The rights of a request by its token: scopes, and the chats to which it is limited.
import type { TokenScope } from '@postern/bot-api'
import { CodedError } from '@postern/protocol'

export type Access = {
  /** The id of a scoped token; undefined for BOT_TOKEN, for METRICS_TOKEN and inside of the gateway. */
  readonly token: string | undefined
  readonly scopes: readonly TokenScope[]
  /** Undefined: all chats. */
  readonly chats: readonly string[] | undefined
}

export const fullAccess: Access = { token: undefined, scopes: ['admin'], chats: undefined }

/** A caller without a token may do nothing that needs one. */
export const noAccess: Access = { token: undefined, scopes: [], chats: [] }

/** An endpoint that names no scope is one that only an admin may use: an unknown path, too. */
export function assertScopes({ scopes }: Access, needed: readonly TokenScope[]): void {
  if (scopes.includes('admin')) return
  const missing = needed.find(scope => !scopes.includes(scope))
  if (missing) throw new CodedError('scope-missing', { scope: missing })
}

export const mayUse = ({ chats }: Pick<Access, 'chats'>, chat: string): boolean => chats?.includes(chat) !== false

/** The same whether the chat exists or not: otherwise the token would reveal with whom the bot talks. */
export function assertChat({ chats }: Access, chat: string): void {
  if (!mayUse({ chats }, chat)) throw outsideToken(`The chat ${chat} is not one of them`)
}

/** `rule`: a sentence without its full stop. */
export const outsideToken = (rule: string): CodedError => new CodedError('outside-token', { rule })
