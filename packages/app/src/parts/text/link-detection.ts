// Finds the tappable parts of a stranger's text. A link shows the host that it opens, whatever the sender has written.
import type { MentionView } from '../../contract/objects.ts'

export type TextPart =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; url: string }
  | { kind: 'mention'; text: string; user: string }
  | { kind: 'command'; text: string }

/** A tappable part, and its place in the text: a link may be shown with other characters. */
export type TextSpot = { from: number; to: number; part: TextPart }
type Address = { url: string; host: string }

const URL_UNITS_MAX = 2_048
/** An address ends at invisible and reversing characters, quotes and brackets; a backslash is a slash to browsers alone. */
const candidates =
  /(?:(?<![\p{L}\p{N}_])https?:\/\/|(?<![\p{L}\p{N}_@.:/-])www\.)[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800<>"`\\{}|^«»“”„]+/giu
const authority = /^https?:\/\/([^/?#]*)/i
const trailing = /[.,:;!?'’…*_~)\]]$/u
const seen = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u
const commands = /(?<![^\s(])\/[a-z0-9_]{1,32}(?![^\s.,:;!?)])/g

/**
 * The address that a browser opens for this text, or undefined when it opens none that can be shown honestly. With a
 * name before the host (`https://bank.example@evil.example`) people read the name.
 */
export function addressOf(text: string): Address | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || text.length > URL_UNITS_MAX) return undefined
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  if (url.username || url.password || authority.exec(text)?.[1]?.includes('@') !== false) return undefined
  return url.host ? { url: url.href, host: url.host } : undefined
}

const count = (text: string, sign: string): number => text.split(sign).length - 1

/** Removes characters after the address: the full stop of a sentence, the bracket around it. */
function trimmed(text: string): string {
  // Counted once: a stranger may send four thousand brackets.
  const spare = { ')': count(text, ')') - count(text, '('), ']': count(text, ']') - count(text, '[') }
  let end = text.length
  for (; ; end--) {
    const last = text[end - 1] ?? ''
    if (!trailing.test(last)) return text.slice(0, end)
    // A bracket that was opened within the address belongs to it.
    if ((last === ')' || last === ']') && spare[last]-- <= 0) return text.slice(0, end)
  }
}

/** As written if that shows the target; otherwise with the opened host: Latin letters, or `xn--`. */
function shownOf(text: string, { host }: Address): string {
  const written = authority.exec(text)
  if (!written || written[1]?.toLowerCase() === host) return text
  return `${text.slice(0, text.indexOf('//') + 2).toLowerCase()}${host}${text.slice(written[0].length)}`
}

const HTTPS = 'https://'

/** `www.example.org`, as people write it: with a name between the first label and the last. */
function bareLink(written: string): TextPart | undefined {
  const address = addressOf(`${HTTPS}${written}`)
  if (!address || !/^www\.[^.]+\..*[^\d.]/i.test(address.host)) return undefined
  return { kind: 'link', text: shownOf(`${HTTPS}${written}`, address).slice(HTTPS.length), url: address.url }
}

function linkOf(written: string): TextPart | undefined {
  if (!/^http/i.test(written)) return bareLink(written)
  const address = addressOf(written)
  return address && { kind: 'link', text: shownOf(written, address), url: address.url }
}

function linksIn(text: string): TextSpot[] {
  return [...text.matchAll(candidates)].flatMap(match => {
    const written = trimmed(match[0])
    const part = linkOf(written)
    return part ? [{ from: match.index, to: match.index + written.length, part }] : []
  })
}

const commandsIn = (text: string): TextSpot[] =>
  [...text.matchAll(commands)].map(({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
    part: { kind: 'command', text: word },
  }))

const mentionsIn = (text: string, mentions: readonly MentionView[]): TextSpot[] =>
  mentions
    .filter(({ offset, length }) => offset >= 0 && length > 0 && offset + length <= text.length)
    // An invisible button is no button.
    .filter(({ offset, length }) => seen.test(text.slice(offset, offset + length)))
    .map(({ user, offset, length }) => ({
      from: offset,
      to: offset + length,
      part: { kind: 'mention', text: text.slice(offset, offset + length), user },
    }))

export type TappableOptions = { mentions?: readonly MentionView[]; commands?: boolean }

export const partsOf = (text: string, options: TappableOptions = {}): TextPart[] =>
  withRest(text, spotsIn(text, options))

/** Links first: a mention over the end of an address would make it look like another one. */
export function spotsIn(
  text: string,
  { mentions = [], commands: withCommands = false }: TappableOptions = {},
): TextSpot[] {
  const chosen: TextSpot[] = []
  // By unit: comparing each with all others takes a second for a text of four thousand commands.
  const taken = new Uint8Array(text.length)
  const wanted = [...linksIn(text), ...mentionsIn(text, mentions), ...(withCommands ? commandsIn(text) : [])]
  for (const found of wanted) {
    if (taken.subarray(found.from, found.to).includes(1)) continue
    taken.fill(1, found.from, found.to)
    chosen.push(found)
  }
  return chosen.toSorted((one, other) => one.from - other.from)
}

function withRest(text: string, found: readonly TextSpot[]): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const { from, to, part } of found) {
    if (from > at) parts.push({ kind: 'text', text: text.slice(at, from) })
    parts.push(part)
    at = to
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) })
  return parts
}
