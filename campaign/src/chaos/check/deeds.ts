// What was done in a campaign and what its doer was told: the book that the checker compares everything with.

export type MessageKind =
  | 'text'
  | 'keyed'
  | 'file'
  | 'poll'
  | 'buttons'
  | 'brief'
  | 'hook-text'
  | 'hook-alerts'
  | 'hook-pipeline'

/** `doubtful`: its doer does not know, so it may be there or not. `refused`: it must not be there. */
export type Outcome = 'acknowledged' | 'doubtful' | 'refused'

/** Moments are numbers that rise with everything that happens in the campaign, whatever the clocks say. */
export type Said = {
  kind: MessageKind
  /** Stands in the words of the message, through all its edits. */
  tag: string
  room: string
  by: string
  begun: number
  ended: number
  outcome: Outcome
  /** Of an acknowledged one, where its doer was told it. */
  id?: string
}

/** Something with one value at a time, which one doer changes step by step: words, a reaction, a profile's field, a vote. */
export type Change = { value: string; outcome: Outcome }
/** `where`: in which room and by whom, so that its other members must be told; `tag`: of the message that it is about. */
export type Changed = {
  kind: string
  what: string
  first: string
  changes: Change[]
  where?: { room: string; by: string; tag?: string }
}

/**
 * The values that may stand at the end: the last acknowledged one, and those in doubt. A request that nobody answered may still
 * be on its way when a later one is acknowledged, as long as the wire holds it back: it counts when it arrives.
 */
export function possibleValues({ first, changes }: Pick<Changed, 'first' | 'changes'>): string[] {
  const settled = changes.findLast(({ outcome }) => outcome === 'acknowledged')?.value ?? first
  return [settled, ...changes.filter(({ outcome }) => outcome === 'doubtful').map(({ value }) => value)]
}

export const tagIn = (text: string | undefined): string | undefined => {
  const tag = /\bd\d+\b/.exec(text ?? '')?.[0]
  return tag === undefined ? undefined : text?.startsWith('✅') ? `${tag}-over` : tag
}
