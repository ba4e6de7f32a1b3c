// Which names the product's code may not declare, each with the reason: a name that says nothing, or that a search finds twice.

export interface NameLaw {
  /** How no function may begin. */
  readonly refusedVerbs: Readonly<Record<string, string>>
  /** Types of the language and the platform: one of ours with such a name is read as theirs. */
  readonly takenTypes: readonly string[]
  /** Names that are refused and still there, by package. One that is gone or in order fails, so that the list only shrinks. */
  readonly left: Readonly<Record<string, readonly string[]>>
}

export const nameLaw: NameLaw = {
  refusedVerbs: {
    take: 'It does not say what is done: apply what was said, fetch what is elsewhere, reserve what is scarce, settle what is open.',
  },
  takenTypes: ['Array', 'Error', 'Event', 'File', 'Map', 'Promise', 'Record', 'Request', 'Response', 'Set'],
  left: {},
}
