// The text of one event: a first line that is enough in a notification, some lines about it, and one address.
import { CodedError, hookLimits } from '@postern/protocol'
import { oneLine, webAddress } from '../texts/clean.ts'
import { fitLines, type TextLine } from '../texts/fit-lines.ts'
import { isFields, type PostFields } from './fields.ts'

export type EventText = { title: TextLine; about?: readonly string[]; link?: unknown }

/** Empty lines and an address that is none are left out. */
export function eventText({ title, about = [], link }: EventText): string {
  const lines = about.filter(line => line !== '').map(text => ({ text }))
  const address = webAddress(link, hookLimits.addressCharsMax)
  return fitLines([title, ...lines, ...(address === '' ? [] : [{ text: address, isWhole: true }])])
}

export function objectBody(json: unknown): PostFields {
  if (isFields(json)) return json
  throw new CodedError('bad-field', { field: 'body', rule: 'must be a JSON object' })
}

/** The first of some fields that says anything. */
export const firstOf = (...values: unknown[]): string => values.map(oneLine).find(text => text !== '') ?? ''

/** `word` in brackets behind a text, if there is one. */
export const inBrackets = (word: string): string => (word === '' ? '' : ` (${word})`)

const SHA_CHARS = 8

/** `bcbb5ec3 Count twice (Alice)`: only the first line of a message. */
export function commitLine({ sha, message, author }: { sha: unknown; message: unknown; author: unknown }): string {
  const id = [...oneLine(sha)].slice(0, SHA_CHARS).join('')
  const subject = typeof message === 'string' ? oneLine(message.trimStart().split('\n', 1)[0]) : ''
  const words = [id, subject].filter(word => word !== '').join(' ')
  return words === '' ? '' : words + inBrackets(oneLine(author))
}
