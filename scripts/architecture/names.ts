// The names that the product's code may not declare, each with the reason: a name without meaning, or one that a search
// finds twice.

export interface NameLaw {
  /** Verbs with which no function may begin. */
  readonly refusedVerbs: Readonly<Record<string, string>>
  /** Types of the language and the platform: our own type with such a name would be mistaken for theirs. */
  readonly takenTypes: readonly string[]
  /** Prepositions, adverbs and irregular participles: an exported type is a noun. */
  readonly refusedTypes: readonly string[]
  /** Nouns that end in -ing or -ed, as participles do. */
  readonly nouns: readonly string[]
  /**
   * Names that are refused and still exist, by package. An entry that is gone or in order fails, so that the list only
   * shrinks.
   */
  readonly left: Readonly<Record<string, readonly string[]>>
  /** Packages with a vocabulary of their own: they import nothing of ours, and are read without the rest. */
  readonly apart?: readonly string[]
}

const words = (text: string): string[] => text.split(' ')

export const nameLaw: NameLaw = {
  refusedVerbs: {
    take: 'It does not say what is done: apply what was said, fetch what is elsewhere, reserve what is scarce, settle what is open.',
  },
  refusedTypes: [
    ...words('About Above Across After Around Before Behind Beside Between Beyond Inside Within Without'),
    ...words('Again Ahead Apart Elsewhere Here Lately Later Meanwhile Never Often Once Seldom Soon There'),
    ...words('Begun Built Chosen Done Drawn Found Given Gone Heard Held Kept Known Left Lost Made'),
    ...words('Put Said Seen Sent Shown Shrunk Shut Spoken Taken Thrown Told Written'),
  ],
  nouns: ['Deed', 'Deferred', 'Housekeeping'],
  takenTypes: ['Array', 'Error', 'Event', 'File', 'Map', 'Promise', 'Record', 'Request', 'Response', 'Set'],
  left: {},
  apart: ['packages/sdk'],
}
