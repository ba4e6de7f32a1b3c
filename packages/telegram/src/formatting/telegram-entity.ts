// The types of formatting in Telegram, and ours.
import type { EntityType } from '@postern/protocol'

/** `user` is the number of the person that is mentioned. */
export type TelegramEntity = {
  type: string
  offset: number
  length: number
  url?: string
  lang?: string
  user?: string
}

export type TelegramWords = { text: string; entities: TelegramEntity[] }

const there: Record<EntityType, string> = {
  quote: 'blockquote',
  spoiler: 'spoiler',
  link: 'text_link',
  bold: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  code: 'code',
  pre: 'pre',
}

export const typeThere = (type: EntityType): string => there[type]

const here = new Map(Object.entries(there).map(([ours, theirs]) => [theirs, ours as EntityType]))
here.set('expandable_blockquote', 'quote')

/** `undefined` for formatting that we do not have, such as underlining. */
export const typeHere = (type: string): EntityType | undefined => here.get(type)

/** A link to a person is a mention. */
export function linkEntity(url: string): Pick<TelegramEntity, 'type' | 'url' | 'user'> {
  const user = /^tg:\/\/user\?id=(\d{1,16})$/.exec(url)?.[1]
  return user === undefined ? { type: 'text_link', url } : { type: 'text_mention', user }
}
