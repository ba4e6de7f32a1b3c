// Events that the worker sends to pages unasked: they pass, and are in no view.
import type { Person } from './objects.ts'

/** To every page: the visible one shows it. */
export type PushEvent =
  /** A bot's answer to a press, for the presser alone. */
  | { kind: 'toast'; chat: string; from: Person; text: string }
  /** A new message in a chat that nobody looks at. The leading page shows it. */
  | { kind: 'alert'; chat: string; title: string; text: string; sound: boolean }
  | { kind: 'alert-over'; chat: string }
