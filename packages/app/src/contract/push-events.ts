// What the worker tells pages without being asked: it passes, and stands in no view.
import type { Person } from './objects.ts'

/** To every page: whoever looks shows it. */
export type PushEvent =
  /** A bot's answer to a press, for the presser alone. */
  | { kind: 'toast'; chat: string; from: Person; text: string }
  /** Somebody wrote in a chat at which nobody looks. The leading page shows it. */
  | { kind: 'alert'; chat: string; title: string; text: string; sound: boolean }
  | { kind: 'alert-over'; chat: string }
