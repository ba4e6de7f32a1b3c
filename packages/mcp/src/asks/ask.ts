// A question of an agent, as it is stored: a row that survives restarts, with its answer.
import type { AccountId, ChatId, MessageId } from '@postern/protocol'

export type AskState =
  | { kind: 'open' }
  | { kind: 'chosen'; choice: number; by: AskPerson; ts: number; press: string }
  /** `reply`: the message with the answer. If that is erased, so is `text`. */
  | { kind: 'replied'; text: string; by: AskPerson; ts: number; reply: MessageId }
  | { kind: 'expired' }
  | { kind: 'cancelled' }

export type AskPerson = { id: AccountId; name: string }

export type Ask = {
  id: string
  chat: ChatId
  question: string
  options: string[]
  freeText: boolean
  /** The people that may decide. */
  from: AccountId[]
  askedTs: number
  /** In elapsed time: setting the clock expires nothing. */
  askedMs: number
  expiresMs: number
  /** Hashes of the caller's key, and of everything that a call with the same key must repeat. */
  key?: string
  request: string
  /** Absent until the relay has the question. */
  message?: MessageId
  state: AskState
  /** When it was over, in elapsed time. */
  overMs?: number
  /** The message shows how it ended. */
  isShown: boolean
}

export const ASK_ID = /^q_[a-z2-7]{16}$/

/** The button of an option sends it back. */
export const buttonData = (id: string, choice: number): string => `q:${id}:${choice}`

export function readButtonData(data: string): { id: string; choice: number } | undefined {
  const { id, choice } = /^q:(?<id>q_[a-z2-7]{16}):(?<choice>\d)$/.exec(data)?.groups ?? {}
  return id === undefined ? undefined : { id, choice: Number(choice) }
}
