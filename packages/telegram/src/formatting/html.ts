// Reads the HTML of `parse_mode`: a few tags, which must be closed in order. Everything else is an error, as in Telegram.
import { badRequest } from '../telegram-error.ts'
import { linkEntity, type TelegramEntity, type TelegramWords } from './telegram-entity.ts'

const tags: Record<string, string> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  'tg-emoji': 'custom_emoji',
  'tg-time': 'date_time',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
}

type Open = { tag: string; from: number; entity: Omit<TelegramEntity, 'offset' | 'length'> }

const TAG = /<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*>/iy
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot));/giy
const PLAIN = /[^<&]+|&/y

export function readHtml(html: string): TelegramWords {
  const entities: TelegramEntity[] = []
  const open: Open[] = []
  let text = ''
  for (let at = 0; at < html.length; ) {
    const sign = matchAt(ENTITY, html, at)
    const tag = sign ? undefined : matchAt(TAG, html, at)
    const found = sign ?? tag ?? matchAt(PLAIN, html, at)
    if (!found) throw cannotParse(`Unsupported start tag at byte offset ${bytesBefore(html, at)}`)
    if (tag?.[1] === '/') closeTag(open, entities, { tag, text, at: () => bytesBefore(html, at) })
    else if (tag) open.push(opened(tag, { from: text.length, at: () => bytesBefore(html, at) }))
    else text += sign ? signOf(sign) : found[0]
    at += found[0].length
  }
  const left = open.at(-1)
  if (left) throw cannotParse(`Can't find end tag corresponding to start tag "${left.tag}"`)
  return { text, entities: entities.filter(({ length }) => length > 0) }
}

function opened(
  [, , name = '', attributes = '']: RegExpExecArray,
  { from, at }: { from: number; at: () => number },
): Open {
  const tag = name.toLowerCase()
  const entity = entityOf(tag, attributes)
  if (entity === undefined) throw cannotParse(`Unsupported start tag "${tag}" at byte offset ${at()}`)
  return { tag, from, entity }
}

function entityOf(tag: string, attributes: string): Open['entity'] | undefined {
  if (tag === 'a') {
    const url = attribute(attributes, 'href')
    return url === undefined ? { type: 'nothing' } : linkEntity(url)
  }
  if (tag === 'span') return attribute(attributes, 'class') === 'tg-spoiler' ? { type: 'spoiler' } : undefined
  const type = Object.hasOwn(tags, tag) ? tags[tag] : undefined
  if (type === undefined) return undefined
  const lang = tag === 'code' ? /^language-(.+)$/.exec(attribute(attributes, 'class') ?? '')?.[1] : undefined
  return { type, ...(lang !== undefined && { lang }) }
}

type Closing = { tag: RegExpExecArray; text: string; at: () => number }

function closeTag(open: Open[], entities: TelegramEntity[], { tag, text, at }: Closing): void {
  const name = String(tag[2]).toLowerCase()
  const last = open.pop()
  if (!last) throw cannotParse(`Unexpected end tag at byte offset ${at()}`)
  if (last.tag !== name)
    throw cannotParse(`Unmatched end tag at byte offset ${at()}, expected "</${last.tag}>", found "</${name}>"`)
  const entity = { ...last.entity, offset: last.from, length: text.length - last.from }
  const inner = entities.at(-1)
  // The language of a block is written on the code inside of it.
  if (
    entity.type === 'pre' &&
    inner?.type === 'code' &&
    inner.offset === entity.offset &&
    inner.length === entity.length
  )
    entities.splice(-1, 1, { ...entity, ...(inner.lang !== undefined && { lang: inner.lang }) })
  else entities.push(entity)
}

const attribute = (attributes: string, name: string): string | undefined => {
  const [, quoted, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes) ?? []
  const value = quoted ?? single ?? bare
  return value?.replaceAll(new RegExp(ENTITY.source, 'gi'), sign => signOf(matchAt(ENTITY, sign, 0)))
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }

function signOf(match: RegExpExecArray | undefined): string {
  const [whole = '', decimal, hexadecimal, name = ''] = match ?? []
  if (decimal === undefined && hexadecimal === undefined) return named[name.toLowerCase()] ?? whole
  const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  const isScalar = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
  return isScalar ? String.fromCodePoint(point) : whole
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

const bytesBefore = (text: string, at: number): number => Buffer.byteLength(text.slice(0, at))

/** Bots match this beginning, and send the text again without formatting. */
const cannotParse = (why: string) => badRequest(`can't parse entities: ${why}`)
