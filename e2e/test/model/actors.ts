// The actors of the random histories: people through their clients, the bot through HTTP, behind one interface.
import type { Message } from '@postern/bot-api/objects'
import type { ChatId, MessageId } from '@postern/protocol'
import { type TestGateway, type TestPerson, WITHIN } from '@postern/testkit'

/** The voters of each option, by account. */
export type SeenPoll = { closed: boolean; votes: string[][] }

/** A message as everybody must see it. */
export type Seen = {
  id: string
  from: string
  text: string
  reactions: [from: string, emoji: string][]
  poll?: SeenPoll
  /** The data of its buttons. */
  buttons?: string[]
}

export const POLL_OPTIONS = ['one', 'two', 'three']

export interface Actor {
  readonly id: string
  say(chat: ChatId, text: string): Promise<string>
  edit(chat: ChatId, message: string, text: string): Promise<void>
  erase(chat: ChatId, message: string): Promise<void>
  react(chat: ChatId, message: string, emoji: string): Promise<void>
  ask(chat: ChatId, question: string): Promise<string>
  vote(chat: ChatId, message: string, options: number[]): Promise<void>
  close(chat: ChatId, message: string): Promise<void>
  list(chat: ChatId): Promise<Seen[]>
  disturb(): void
}

/** Only a bot puts buttons under its messages. */
export interface ButtonActor extends Actor {
  setButtons(chat: ChatId, message: string, data: string[]): Promise<void>
}

const seen = (message: Message): Seen => ({
  id: message.id,
  from: message.from.id,
  text: message.text ?? '',
  reactions: (message.reactions ?? [])
    .map(({ emoji, from }): [string, string] => [from.id, emoji])
    .sort(([a], [b]) => (a < b ? -1 : 1)),
  ...(message.poll && {
    poll: {
      closed: message.poll.closed,
      votes: message.poll.options.map(({ voters }) => voters.map(({ id }) => id).sort()),
    },
  }),
  ...(message.buttons && { buttons: message.buttons.flat().map(({ data }) => data ?? '') }),
})

export function personActor(person: TestPerson): Actor {
  const { client } = person
  const at = (message: string) => message as MessageId
  return {
    id: person.id,
    say: async (chat, text) => (await person.say(chat, text)).id,
    edit: async (chat, message, text) =>
      void (await client.messages.edit(chat, { message: at(message), text }, WITHIN)),
    erase: async (chat, message) => client.messages.delete(chat, { message: at(message), for: 'all' }, WITHIN),
    react: async (chat, message, emoji) => client.messages.react(chat, { message: at(message), emoji }, WITHIN),
    ask: async (chat, question) =>
      (await client.messages.sendPoll(chat, { question, options: POLL_OPTIONS, multiple: true }, WITHIN)).id,
    vote: async (chat, message, options) => client.messages.vote(chat, { message: at(message), options }, WITHIN),
    close: async (chat, message) => client.messages.closePoll(chat, at(message), WITHIN),
    list: async chat => client.messages.list(chat, { limit: 100 }).map(seen),
    disturb: () => person.wire.drop(),
  }
}

export function botActor(gateway: TestGateway): ButtonActor {
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
    ask: async (chat, question) =>
      (await call<Message>('POST', `/v1/chats/${chat}/polls`, { question, options: POLL_OPTIONS, multiple: true })).id,
    vote: async (chat, message, options) => void (await call('POST', `${messages(chat)}/${message}/vote`, { options })),
    close: async (chat, message) => void (await call('POST', `${messages(chat)}/${message}/close`)),
    setButtons: async (chat, message, data) => {
      const buttons = data.map(one => [{ text: one, data: one }])
      await call('PATCH', `${messages(chat)}/${message}`, { buttons })
    },
    list: async chat => (await call<Message[]>('GET', `${messages(chat)}?limit=100`)).map(seen),
    disturb: () => gateway.wire.drop(),
  }
}
