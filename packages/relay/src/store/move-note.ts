// What is noted at a place that a relay is moved away from: nobody may go on there while it goes on elsewhere.

/**
 * In a table `relay_move`, made only where there is something to note: a database without it was never left.
 * `leaving`: all of it is at the new place or nearly so, and the move may have to be run again. `left`: it is over.
 */
export type MoveNote = { readonly state: 'leaving' | 'left'; readonly place: string }
