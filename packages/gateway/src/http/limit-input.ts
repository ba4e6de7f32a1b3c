// Holds a request to the chats of its token, before its handler runs.
import type { ChatPlace, Endpoint } from '@postern/bot-api'
import { type Access, assertChat, outsideToken } from '../access.ts'

type LimitedInput = { headers: unknown; params: unknown; query: unknown; body: unknown }

/** Throws when the request reaches outside of these chats. */
export function limitedInput<Input extends LimitedInput>(
  { open, reach }: Endpoint,
  input: Input,
  access: Access,
): Input {
  if (open || !access.chats) return input
  if (reach === 'all') throw outsideToken('This endpoint is about all of them')
  if (Array.isArray(reach))
    for (const place of reach as readonly ChatPlace[]) {
      const chat = at(input, place)
      if (typeof chat === 'string') assertChat(access, chat)
    }
  return { ...input, headers: withOwnKey(input.headers, access) }
}

const at = (input: unknown, place: ChatPlace): unknown =>
  place.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], input)

const KEY = 'idempotency-key'

/** In the names of others, such a token could take the key of a send that is still to come, or find out an old one. */
function withOwnKey(headers: unknown, { token }: Access): unknown {
  const key = (headers as Record<string, unknown> | undefined)?.[KEY]
  return typeof key === 'string' ? { ...(headers as object), [KEY]: `${token}/${key}` } : headers
}
