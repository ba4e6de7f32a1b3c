// Writes src/parts/emoji/emoji.txt: the emoji that can be picked, by group, with their search words in each language.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

type Emoji = { emoji: string; label: string; tags?: string[]; group?: number; order?: number; hexcode: string }

/** Parts of other emoji: hair and skin alone. */
const COMPONENTS = 2
const TAGS_MAX = 3

const require = createRequire(import.meta.url)
const read = (language: string): Emoji[] =>
  JSON.parse(readFileSync(require.resolve(`emojibase-data/${language}/data.json`), 'utf8')) as Emoji[]

const wordsOf = ({ label, tags = [] }: Emoji): string => {
  const more = tags.slice(0, TAGS_MAX).filter(tag => !label.includes(tag))
  return [label, ...more].join(' ').toLowerCase()
}

const russian = new Map(read('ru').map(emoji => [emoji.hexcode, emoji]))
const groups = new Map<number, string[]>()
for (const emoji of read('en').toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0))) {
  if (emoji.group === undefined || emoji.group === COMPONENTS) continue
  const line = [emoji.emoji, wordsOf(emoji), wordsOf(russian.get(emoji.hexcode) ?? emoji)].join('\t')
  groups.set(emoji.group, [...(groups.get(emoji.group) ?? []), line])
}
const text = [...groups.values()].map(lines => lines.join('\n')).join('\n\n')
writeFileSync(new URL('../src/parts/emoji/emoji.txt', import.meta.url), `${text}\n`)
