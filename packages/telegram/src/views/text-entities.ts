// The entities of a text as Telegram shows them: its formatting, its mentions, and the commands and addresses in it.
import type { Message, Person } from '@postern/bot-api/objects'
import { typeThere } from '../formatting/telegram-entity.ts'

type EntityUser = { id: number; is_bot: boolean; first_name: string }
export type ShownEntity = {
  type: string
  offset: number
  length: number
  url?: string
  language?: string
  user?: EntityUser
}

type EntityWords = Pick<Message, 'text' | 'entities' | 'mentions'>

/** Libraries find commands by the entity `bot_command` alone. */
const found =
  /(?<=^|[\s(])(?:(?<command>\/[a-zA-Z0-9_]{1,32}(?:@[a-zA-Z0-9_]{1,32})?)(?![\w/])|(?<url>https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}']))/g

/** Without a slash there is neither, and most texts have none. */
const foundIn = (text: string): Iterable<RegExpExecArray> => (text.includes('/') ? text.matchAll(found) : [])

const CODE: ReadonlySet<string> = new Set(['code', 'pre', 'link'])

export function entitiesOf(
  { text = '', entities = [], mentions = [] }: EntityWords,
  userOf: (person: Person) => EntityUser,
): ShownEntity[] {
  const shown: ShownEntity[] = entities.map(({ type, offset, length, url, lang }) => ({
    type: typeThere(type),
    offset,
    length,
    ...(url !== undefined && { url }),
    ...(lang !== undefined && { language: lang }),
  }))
  for (const { user, offset, length } of mentions) {
    const name = text.slice(offset, offset + length).replace(/^@/, '')
    shown.push({ type: 'text_mention', offset, length, user: userOf({ id: user, name }) })
  }
  for (const { index, groups, 0: words } of foundIn(text)) {
    const isCode = entities.some(
      ({ type, offset, length }) => CODE.has(type) && index >= offset && index < offset + length,
    )
    if (isCode) continue
    const type = groups?.['command'] === undefined ? 'url' : 'bot_command'
    shown.push({ type, offset: index, length: words.length })
  }
  return shown.toSorted((one, other) => one.offset - other.offset || other.length - one.length)
}
