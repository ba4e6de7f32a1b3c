// The names under which what hooks must remember is stored: never rename them.

/** Of their records. */
export const SHELF = 'hooks'

/** Of the reader of the journal that looks for commands. */
export const READER = 'hooks'
