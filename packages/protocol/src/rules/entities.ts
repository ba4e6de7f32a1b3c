// The rules for formatting: each entity is inside of another or apart from it, and a link shows something and leads to a web page.
import { contentLimits } from '../limits.ts'
import { isPlainUrl } from './button.ts'
import type { Fault } from './kept.ts'
import { isSeen } from './line.ts'
import { spanFault } from './mentions.ts'

/** If two cover the same characters, the type that is first here is around the other. */
export const entityTypes = ['quote', 'spoiler', 'link', 'bold', 'italic', 'strike', 'code', 'pre'] as const
export type EntityType = (typeof entityTypes)[number]

/** Formatting of a part of a text, counted in UTF-16 code units. `url` is that of a link, `lang` that of a `pre`. */
export type TextEntity = {
  type: EntityType
  offset: number
  length: number
  url?: string | undefined
  lang?: string | undefined
}

export const LANG_RULE = `must have 1 to ${contentLimits.entityLangCharsMax} letters, digits or signs of + # . _ -`
const langForm = new RegExp(`^[\\w+#.-]{1,${contentLimits.entityLangCharsMax}}$`)

export const langFault = (lang: string): Fault => (langForm.test(lang) ? undefined : LANG_RULE)

export const linkUrlFault = (url: string): Fault =>
  url.length <= contentLimits.buttonUrlUnitsMax && /^https?:\/\//i.test(url) && isPlainUrl(url)
    ? undefined
    : `must be an http:// or https:// address of at most ${contentLimits.buttonUrlUnitsMax} characters, without a user name`

export const entitiesCountFault = (entities: readonly unknown[]): Fault =>
  entities.length > contentLimits.entitiesMax ? `must have at most ${contentLimits.entitiesMax} entries` : undefined

export const entityEnd = ({ offset, length }: Pick<TextEntity, 'offset' | 'length'>): number => offset + length

/** The first entity that does not fit the text, and the rule that it breaks. */
export const entityFault = (text: string, entities: readonly TextEntity[]): { at: number; rule: string } | undefined =>
  judge(text, entities).fault

/** The fitting ones, from outside to inside in the order of the text: the others are dropped from another person's message. */
export const fittingEntities = (text: string, entities: readonly TextEntity[]): TextEntity[] =>
  judge(text, entities).fitting.slice(0, contentLimits.entitiesMax)

type Judgement = { fitting: TextEntity[]; fault?: { at: number; rule: string } }

function judge(text: string, entities: readonly TextEntity[]): Judgement {
  const judgement: Judgement = { fitting: [] }
  const isKept = (at: number, rule: Fault): boolean => {
    if (rule !== undefined) judgement.fault ??= { at, rule }
    return rule === undefined
  }
  // Before they are sorted: numbers that are none have no order.
  const sound = [...entities.entries()].filter(([at, entity]) => isKept(at, ownFault(text, entity)))
  /** Each one is inside of the one before it. */
  const around: TextEntity[] = []
  for (const [at, entity] of sound.toSorted(([, one], [, other]) => byPlace(one, other))) {
    if (!isKept(at, nestingFault(entity, around))) continue
    judgement.fitting.push(plainEntity(entity))
    around.push(entity)
  }
  return judgement
}

const byPlace = (one: TextEntity, other: TextEntity): number =>
  one.offset - other.offset ||
  other.length - one.length ||
  entityTypes.indexOf(one.type) - entityTypes.indexOf(other.type)

function ownFault(text: string, { type, offset, length, url }: TextEntity): Fault {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 1)
    return 'must have an offset of at least 0 and a length of at least 1'
  const fault = spanFault(text, { offset, length, from: 0 })
  if (fault !== undefined || type !== 'link') return fault
  // An invisible link would be pressed by accident.
  if (!isSeen(text.slice(offset, offset + length))) return 'must be a link with visible characters'
  return linkUrlFault(url ?? '') === undefined ? undefined : 'must be a link with a url'
}

/** Leaves the ones that this entity is in or crosses. */
function nestingFault(entity: TextEntity, around: TextEntity[]): Fault {
  while (around.length > 0 && entityEnd(around.at(-1) ?? entity) <= entity.offset) around.pop()
  const nearest = around.at(-1)
  if (!nearest) return undefined
  if (entityEnd(nearest) < entityEnd(entity)) return 'must be inside of the others or apart from them'
  if (nearest.type === 'code' || nearest.type === 'pre') return 'must not be inside of code'
  return around.some(({ type }) => type === entity.type) ? 'must not be inside of one of its own type' : undefined
}

/** Without fields that its type does not have. */
const plainEntity = ({ type, offset, length, url, lang }: TextEntity): TextEntity => ({
  type,
  offset,
  length,
  ...(type === 'link' && { url }),
  ...(type === 'pre' && lang !== undefined && langForm.test(lang) && { lang }),
})

/** The well-formed entities of a received list, which may be anything. Whether they fit their text is another question. */
export function readEntities(value: unknown): TextEntity[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown) => {
    const { type, offset, length, url, lang } = (one ?? {}) as Record<string, unknown>
    if (!isEntityType(type) || !isCount(offset) || !isCount(length)) return []
    return plainEntity({ type, offset, length, url: textOf(url), lang: textOf(lang) })
  })
}

const isEntityType = (value: unknown): value is EntityType => entityTypes.some(type => type === value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
