// The kinds of faults that a campaign can find.

/**
 * `lost`: acknowledged and missing. `doubled`: there more than once. `reordered`: before an earlier one. `kept`: there
 * although it had to go.
 */
export type Wrong =
  | 'lost'
  | 'kept'
  | 'doubled'
  | 'reordered'
  | 'invented'
  | 'different'
  | 'untold'
  | 'told-twice'
  | 'early-retry'
  | 'refused'
  | 'crash'
  | 'fault-of-ours'
  | 'damaged'
  | 'unsettled'

/** `deed` is the kind of the action: a text, a vote, … */
export type Finding = { wrong: Wrong; deed: string; what: string }
