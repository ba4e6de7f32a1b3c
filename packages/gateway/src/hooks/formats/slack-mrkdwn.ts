// Reads Slack's mrkdwn: its marks become entities, and a mark that is not closed stays a sign. Linear in its length.
import type { EntityType } from '@postern/protocol'
import { cleanText, oneLine } from '../texts/clean.ts'
import { linkLine, plainLine, type RichLine, RichText } from '../texts/rich-text.ts'

type Token = { kind: 'words'; line: RichLine } | { kind: 'mark'; sign: Mark; opens: boolean; closes: boolean }
type Mark = '*' | '_' | '~'

const types: Readonly<Record<Mark, EntityType>> = { '*': 'bold', _: 'italic', '~': 'strike' }
const references: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

const unescaped = (text: string): string =>
  cleanText(text.replaceAll(/&(?:amp|lt|gt);/g, reference => references[reference] ?? reference))

export function readMrkdwn(source: string): RichLine {
  const text = new RichText()
  // Every second part is between two fences; the last fence alone is a sign.
  const parts = source.split('```')
  if (parts.length % 2 === 0) parts.splice(-2, 2, `${parts.at(-2)}\`\`\`${parts.at(-1)}`)
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 1) text.add(unescaped(part).replace(/^\n|\n$/g, ''), { type: 'pre' })
    else addLines(text, part)
  }
  return text
}

function addLines(text: RichText, source: string): void {
  for (const [at, line] of source.split('\n').entries()) {
    if (at > 0) text.add('\n')
    const quoted = /^(?:&gt;|>)(?!&gt;|>) ?/.exec(line)
    text.append(readLine(quoted ? line.slice(quoted[0].length) : line), ...(quoted ? [{ type: 'quote' } as const] : []))
  }
}

function readLine(source: string): RichLine {
  const tokens = tokensOf(source)
  const pairs = pairsOf(tokens)
  const text = new RichText()
  const starts = new Map<number, number>()
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'words') text.append(token.line)
    else if (pairs.has(at)) starts.set(pairs.get(at) ?? at, text.length)
    else if (starts.has(at)) text.cover({ type: types[token.sign] }, { from: starts.get(at) ?? 0 })
    else text.add(token.sign)
  }
  return text
}

/** The number of the closing mark by that of its opening one. A pair that would cross another is none. */
function pairsOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>()
  const open: { at: number; sign: Mark }[] = []
  const count: Record<Mark, number> = { '*': 0, _: 0, '~': 0 }
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'mark') continue
    const { sign, opens, closes } = token
    if (closes && count[sign] > 0) {
      for (;;) {
        const last = open.pop()
        if (!last) break
        count[last.sign] -= 1
        if (last.sign !== sign) continue
        pairs.set(last.at, at)
        break
      }
    } else if (opens && count[sign] === 0) {
      open.push({ at, sign })
      count[sign] += 1
    }
  }
  return pairs
}

const pieces = /<[^<>\n]*>|`[^`\n]+`|[*_~]|[^<`*_~]+|[<`]/g

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: piece, index } of source.matchAll(pieces)) {
    if (piece.length > 1 && piece.startsWith('<'))
      tokens.push({ kind: 'words', line: readReference(piece.slice(1, -1)) })
    else if (piece.length > 1 && piece.startsWith('`')) {
      const code = unescaped(piece.slice(1, -1))
      tokens.push({ kind: 'words', line: { text: code, entities: codeOf(code) } })
    } else if (piece === '*' || piece === '_' || piece === '~')
      tokens.push({ kind: 'mark', sign: piece, ...sides(source, index) })
    else tokens.push({ kind: 'words', line: plainLine(unescaped(piece)) })
  }
  return tokens
}

const codeOf = (code: string): RichLine['entities'] =>
  code === '' ? [] : [{ type: 'code', offset: 0, length: code.length }]

const isWord = (char: string): boolean => /[\p{L}\p{N}]/u.test(char)
const isSpace = (char: string): boolean => char === '' || /\s/.test(char)

/** `a_b_c` has no italics: a mark opens after what is no word, and closes before what is none. */
function sides(source: string, at: number): { opens: boolean; closes: boolean } {
  const before = source.charAt(at - 1)
  const after = source.charAt(at + 1)
  return { opens: !isWord(before) && !isSpace(after), closes: !isSpace(before) && !isWord(after) }
}

/** `<https://x|label>`, `<@U1|name>`, `<#C1|name>`, `<!here>`. Names are words: nobody is mentioned. */
function readReference(inside: string): RichLine {
  const bar = inside.indexOf('|')
  const target = bar < 0 ? inside : inside.slice(0, bar)
  const label = bar < 0 ? '' : oneLine(unescaped(inside.slice(bar + 1)))
  const name = oneLine(unescaped(target.slice(1)))
  if (target.startsWith('@')) return plainLine(`@${label.replace(/^@/, '') || name}`)
  if (target.startsWith('#')) return plainLine(`#${label.replace(/^#/, '') || name}`)
  if (target.startsWith('!date^')) return plainLine(label)
  if (target.startsWith('!')) return plainLine(label || `@${name.replace(/^subteam\^/, '')}`)
  const url = oneLine(unescaped(target))
  if (/^https?:/i.test(url)) return linkLine(label, url)
  if (/^(?:mailto|tel):/i.test(url)) return plainLine(label || url.replace(/^[a-z]+:/i, ''))
  // No address of the web: as it came.
  return plainLine(cleanText(`<${unescaped(inside)}>`))
}
