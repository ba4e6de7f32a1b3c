// Events that the worker sends to pages unasked: they pass, and are in no view.
import type { Person } from './objects.ts'

/** To every page: the visible one shows it. */
export type PushEvent =
  /** A bot's answer to a press, for the presser alone. */
  | { kind: 'toast'; chat: string; from: Person; text: string }
  /** A new message in a chat that nobody looks at, or a request to join it. The leading page shows it. */
  | ({
      kind: 'alert'
      chat: string
      title: string
      text: string
      isMention: boolean
      asksToJoin?: true
    } & AlertedMessage)
  /** A message does not say what its push notification said. The leading page tells the person. */
  | { kind: 'preview-differs'; chat: string; message: string; from: string; text: string }
  | { kind: 'alert-over'; chat: string }

/** None for a call or a request. A push may have shown it before. */
type AlertedMessage = { message?: string; ts?: number }
