// Reads the old Markdown of `parse_mode`: four marks, without nesting.
import { badRequest } from '../telegram-error.ts'
import { linkEntity, type TelegramEntity, type TelegramWords } from './telegram-entity.ts'

const types: Record<string, string> = { '*': 'bold', _: 'italic', '`': 'code' }

export function readMarkdown(marked: string): TelegramWords {
  const entities: TelegramEntity[] = []
  let text = ''
  for (let at = 0; at < marked.length; ) {
    const sign = marked.charAt(at)
    if (sign === '\\' && '_*`['.includes(marked.charAt(at + 1) || ' ')) {
      text += marked.charAt(at + 1)
      at += 2
      continue
    }
    const span = spanAt(marked, at)
    if (!span) {
      text += sign
      at += 1
      continue
    }
    const { inner, end, ...entity } = span
    if (inner !== '') entities.push({ ...entity, offset: text.length, length: inner.length })
    text += inner
    at = end
  }
  return { text, entities }
}

type Span = Omit<TelegramEntity, 'offset' | 'length'> & { inner: string; end: number }

function spanAt(marked: string, at: number): Span | undefined {
  const sign = marked.charAt(at)
  if (marked.startsWith('```', at)) {
    const end = closing(marked, '```', at)
    const [, lang, code = ''] = /^(?:([\w+#.-]+)\n|\n)?([^]*)$/.exec(marked.slice(at + 3, end)) ?? []
    return { type: 'pre', ...(lang !== undefined && { lang }), inner: code, end: end + 3 }
  }
  if (sign === '[') return linkAt(marked, at)
  const type = Object.hasOwn(types, sign) ? types[sign] : undefined
  if (type === undefined) return undefined
  const end = closing(marked, sign, at)
  return { type, inner: marked.slice(at + 1, end), end: end + 1 }
}

/** Brackets without an address behind them are signs. */
function linkAt(marked: string, at: number): Span | undefined {
  const close = closing(marked, ']', at)
  if (marked.charAt(close + 1) !== '(') return undefined
  const end = marked.indexOf(')', close)
  if (end < 0) throw endless(marked, at)
  return { ...linkEntity(marked.slice(close + 2, end)), inner: marked.slice(at + 1, close), end: end + 1 }
}

function closing(marked: string, mark: string, at: number): number {
  const end = marked.indexOf(mark, at + mark.length)
  if (end < 0) throw endless(marked, at)
  return end
}

const endless = (marked: string, at: number) =>
  badRequest(
    `can't parse entities: Can't find end of the entity starting at byte offset ${Buffer.byteLength(marked.slice(0, at))}`,
  )
