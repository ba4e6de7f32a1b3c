// Those who act in the random histories: people through their clients, the bot through HTTP. Both look alike from here.
import type { ChatId, MessageId } from '@postern/protocol'
import type { Message } from '@postern/protocol/objects'
import { type Person, type TestGateway, WITHIN } from '@postern/testkit'

/** A message as everybody must see it. */
export type Seen = { id: string; from: string; text: string; reactions: [from: string, emoji: string][] }

export interface Actor {
  readonly id: string
  say(chat: ChatId, text: string): Promise<string>
  edit(chat: ChatId, message: string, text: string): Promise<void>
  erase(chat: ChatId, message: string): Promise<void>
  react(chat: ChatId, message: string, emoji: string): Promise<void>
  list(chat: ChatId): Promise<Seen[]>
  disturb(): void
}

const seen = (message: Message): Seen => ({
  id: message.id,
  from: message.from.id,
  text: message.text ?? '',
  reactions: (message.reactions ?? [])
    .map(({ emoji, from }): [string, string] => [from.id, emoji])
    .sort(([a], [b]) => (a < b ? -1 : 1)),
})

export function personActor(person: Person): Actor {
  const { client } = person
  const at = (message: string) => message as MessageId
  return {
    id: person.id,
    say: async (chat, text) => (await person.say(chat, text)).id,
    edit: async (chat, message, text) => void (await client.editText(chat, { message: at(message), text }, WITHIN)),
    erase: async (chat, message) => client.deleteMessage(chat, { message: at(message), for: 'all' }, WITHIN),
    react: async (chat, message, emoji) => client.react(chat, { message: at(message), emoji }, WITHIN),
    list: async chat => client.messages(chat, { limit: 100 }).map(seen),
    disturb: () => person.wire.drop(),
  }
}

export function botActor(gateway: TestGateway): Actor {
  const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await gateway.api<Answer>(method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const messages = (chat: ChatId) => `/v1/chats/${chat}/messages`
  return {
    id: gateway.client.account,
    say: async (chat, text) => (await call<Message>('POST', messages(chat), { text })).id,
    edit: async (chat, message, text) => void (await call('PATCH', `${messages(chat)}/${message}`, { text })),
    erase: async (chat, message) => void (await call('DELETE', `${messages(chat)}/${message}`)),
    react: async (chat, message, emoji) => {
      const path = `${messages(chat)}/${message}/reaction`
      await (emoji === '' ? call('DELETE', path) : call('PUT', path, { emoji }))
    },
    list: async chat => (await call<Message[]>('GET', `${messages(chat)}?limit=100`)).map(seen),
    disturb: () => gateway.wire.drop(),
  }
}
