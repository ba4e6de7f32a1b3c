// What a relay has once: moved by hand, and compared by who wants to know whether two places have the same relay.

export type MovedFigures = {
  readonly incarnation: Uint8Array
  /** The highest position in mailboxes that was ever given out. */
  readonly head: number
  /** The highest number of a key package that was ever given out. */
  readonly keyPackages: number
  /** Mailboxes show nothing below it. */
  readonly floor: number
  readonly setByMs: number
  readonly setUntilMs: number
}

export type MovedRow = Readonly<Record<string, unknown>>

/** What is found where a relay is to be moved to. */
export type TargetState = 'empty' | 'left behind' | 'the same relay' | 'another relay'
