// The deeds of a campaign and their outcomes: the book that the checker compares everything with.

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

/** `doubtful`: the outcome is unknown, so it may exist or not. `refused`: it must not exist. */
export type Outcome = 'acknowledged' | 'doubtful' | 'refused'

/** Moments are numbers that increase with every event in the campaign, whatever the clocks say. */
export type Said = {
  kind: MessageKind
  /** Part of the words of the message, through all its edits. */
  tag: string
  room: string
  by: string
  begun: number
  ended: number
  outcome: Outcome
  /** For an acknowledged one, if its sender received the id. */
  id?: string
}

/**
 * Something with one value at a time, which one party changes step by step: words, a reaction, a profile's field, a
 * vote.
 */
export type Change = { value: string; outcome: Outcome }
/**
 * `where`: the room and the author of the change, whose other members must learn of it; `tag`: of the message that it
 * is about.
 */
export type Changed = {
  kind: string
  what: string
  first: string
  changes: Change[]
  where?: { room: string; by: string; tag?: string }
}

/**
 * The possible final values: the last acknowledged one, and those in doubt. A request without an answer may still be in
 * flight when a later one is acknowledged, as long as the wire holds it back: it counts when it arrives.
 */
export function possibleValues({ first, changes }: Pick<Changed, 'first' | 'changes'>): string[] {
  const settled = changes.findLast(({ outcome }) => outcome === 'acknowledged')?.value ?? first
  return [settled, ...changes.filter(({ outcome }) => outcome === 'doubtful').map(({ value }) => value)]
}

export const tagIn = (text: string | undefined): string | undefined => {
  const tag = /\bd\d+\b/.exec(text ?? '')?.[0]
  return tag === undefined ? undefined : text?.startsWith('✅') ? `${tag}-over` : tag
}
