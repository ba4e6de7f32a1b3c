// What a campaign can find to be wrong, each under the name of its kind.

/** `lost`: acknowledged and not there. `doubled`: there more than once. `reordered`: before what it came after. `kept`: there though it had to go. */
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

/** `deed` is the kind of what was done: a text, a vote, … */
export type Finding = { wrong: Wrong; deed: string; what: string }
