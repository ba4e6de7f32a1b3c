// The names under which hooks store what they remember. Never rename them.

/** For the records of hooks. */
export const SHELF = 'hooks'

/** For the journal reader that looks for commands. */
export const READER = 'hooks'

/** For the records of living messages. */
export const LIVING_SHELF = 'living'

/** For the journal reader that looks for presses of living messages. */
export const LIVING_READER = 'living'
