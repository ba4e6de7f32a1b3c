// The note in a store that a relay was moved away from: no relay may continue there while it runs elsewhere.

/**
 * In a table `relay_move`, created only when there is something to note: a database without it was never left.
 * `leaving`: all or nearly all rows are at the new place, and the move may have to be run again.
 * `left`: the move is over.
 */
export type MoveNote = { readonly state: 'leaving' | 'left'; readonly place: string }
