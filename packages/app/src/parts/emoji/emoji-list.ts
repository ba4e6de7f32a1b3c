// The emoji that can be picked: parsed from their list, found by words, the last used first.

export type Emoji = { sign: string; words: string }

/** In the order of the list. */
export const emojiGroups = [
  'smileys',
  'people',
  'nature',
  'food',
  'travel',
  'activities',
  'objects',
  'symbols',
  'flags',
] as const

const FOUND_MAX = 120
const RECENT_MAX = 24
const RECENT_KEY = 'postern-recent-emoji'

/** Groups are separated by an empty line; a line is the emoji and its words in each language. */
export const readEmoji = (text: string): Emoji[][] =>
  text
    .trimEnd()
    .split('\n\n')
    .map(group =>
      group.split('\n').map(line => {
        const [sign = '', ...words] = line.split('\t')
        return { sign, words: ` ${words.join(' ')}` }
      }),
    )

/** Every typed word begins a word of the emoji, in any language. */
export function findEmoji(groups: readonly (readonly Emoji[])[], typed: string): Emoji[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return groups
    .flat()
    .filter(({ words }) => wanted.every(word => words.includes(` ${word}`)))
    .slice(0, FOUND_MAX)
}

type Kept = Pick<Storage, 'getItem' | 'setItem'>

/** The stored value may be of another version, or of another program of this origin. */
export function recentEmoji(kept: Kept): string[] {
  try {
    const read: unknown = JSON.parse(kept.getItem(RECENT_KEY) ?? '[]')
    return Array.isArray(read) ? read.filter(sign => typeof sign === 'string').slice(0, RECENT_MAX) : []
  } catch {
    return []
  }
}

export function noteEmoji(kept: Kept, sign: string): void {
  const others = recentEmoji(kept).filter(other => other !== sign)
  try {
    kept.setItem(RECENT_KEY, JSON.stringify([sign, ...others].slice(0, RECENT_MAX)))
  } catch {
    // Without storage space the emoji is picked all the same.
  }
}
