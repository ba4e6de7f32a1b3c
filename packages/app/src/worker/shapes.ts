// Validates the arguments of a page: a page of another build may send anything, and gets an error instead of breaking
// the worker.
import {
  type AccountId,
  type ChatId,
  isAccountId,
  isChatId,
  isMessageId,
  isSendId,
  type MessageId,
  type SendId,
} from '@postern/protocol'
import { AppError } from './app-error.ts'

/** Returns the typed value, or throws `call-malformed` with the name of the field. */
export type Shape<T> = (value: unknown, field: string) => T

type Fields = Readonly<Record<string, Shape<unknown>>>
type Read<Of extends Fields> = { [Name in keyof Of]: ReturnType<Of[Name]> }

const malformed = (field: string): AppError => new AppError('call-malformed', { field })

function checked<T>(is: (value: unknown) => value is T): Shape<T> {
  return (value, field) => {
    if (!is(value)) throw malformed(field)
    return value
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

export const text: Shape<string> = checked(isText)
export const flag: Shape<boolean> = checked((value): value is boolean => typeof value === 'boolean')
export const count: Shape<number> = checked((value): value is number => Number.isSafeInteger(value))
export const bytes: Shape<Uint8Array> = checked((value): value is Uint8Array => value instanceof Uint8Array)
export const blob: Shape<Blob> = checked((value): value is Blob => value instanceof Blob)
export const chatId: Shape<ChatId> = checked((value): value is ChatId => isText(value) && isChatId(value))
export const accountId: Shape<AccountId> = checked((value): value is AccountId => isText(value) && isAccountId(value))
export const messageId: Shape<MessageId> = checked((value): value is MessageId => isText(value) && isMessageId(value))
export const sendId: Shape<SendId> = checked((value): value is SendId => isText(value) && isSendId(value))

export const oneOf = <const Choices extends readonly string[]>(...choices: Choices): Shape<Choices[number]> =>
  checked((value): value is Choices[number] => isText(value) && choices.includes(value))

export const listOf =
  <T>(shape: Shape<T>): Shape<T[]> =>
  (value, field) => {
    if (!Array.isArray(value)) throw malformed(field)
    return value.map((item, at) => shape(item, `${field}[${at}]`))
  }

export const orNull =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, field) =>
    value === null ? null : shape(value, field)

/** Unknown fields are left out; so is an optional one that is undefined. */
export function fields<Needed extends Fields>(needed: Needed): Shape<Read<Needed>>
export function fields<Needed extends Fields, Free extends Fields>(
  needed: Needed,
  free: Free,
): Shape<Read<Needed> & Partial<Read<Free>>>
export function fields(needed: Fields, free: Fields = {}): Shape<unknown> {
  return (value, field) => {
    if (typeof value !== 'object' || value === null) throw malformed(field)
    const given = new Map(Object.entries(value))
    const wanted = Object.entries(needed)
    const added = Object.entries(free).filter(([name]) => given.get(name) !== undefined)
    return Object.fromEntries([...wanted, ...added].map(([name, shape]) => [name, shape(given.get(name), name)]))
  }
}

export const nothing: Shape<Record<string, never>> = () => ({})
