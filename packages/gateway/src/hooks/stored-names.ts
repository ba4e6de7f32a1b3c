// The names under which hooks store what they remember. Never rename them.

/** Of their records. */
export const SHELF = 'hooks'

/** Of the reader of the journal that looks for commands. */
export const READER = 'hooks'
