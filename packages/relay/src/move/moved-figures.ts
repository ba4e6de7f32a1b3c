// The single values of a relay: moved separately, and compared to tell whether two places hold the same relay.

export type MovedFigures = {
  readonly incarnation: Uint8Array
  /** The highest mailbox position ever assigned. */
  readonly head: number
  /** The highest key package number ever assigned. */
  readonly keyPackages: number
  /** Mailboxes show nothing below it. */
  readonly floor: number
  readonly setByMs: number
  readonly setUntilMs: number
}

export type MovedRow = Readonly<Record<string, unknown>>

/** The state of the place that a relay is to be moved to. */
export type TargetState = 'empty' | 'left behind' | 'the same relay' | 'another relay'
