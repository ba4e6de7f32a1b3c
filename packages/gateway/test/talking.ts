// A bot and the people that it talks to.
import type { Chat, Message } from '@postern/bot-api'
import { type ChatId, privateChatId } from '@postern/protocol'
import type { ManualClock, TestPerson, World } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway } from './api.ts'

/** alice came by the bot's link; `path` is her chat as the bot's operator names it, `toBot` the bot's as she does. */
export async function talking(world: World, alice: TestPerson, { clock }: { clock?: ManualClock } = {}) {
  const { gateway, api } = await onlineGateway(world, {}, clock ? { clock } : {})
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  return { gateway, api, path: `/v1/chats/${alice.id}`, toBot: privateChatId(gateway.client.account) }
}

/** A group of the bot and these people, which all of them have. */
export async function grouped(api: Api, people: TestPerson[]): Promise<{ path: string; chat: ChatId }> {
  const { id: chat } = await api.ok<Chat>('POST', '/v1/groups', { name: 'group', members: people.map(one => one.id) })
  for (const one of people) await one.next('chat', event => event.chat_id === chat)
  return { path: `/v1/chats/${chat}`, chat }
}

/** The message as a person has it, once it has arrived. */
export async function sees(person: TestPerson, sent: Pick<Message, 'id'>): Promise<Message> {
  return (await person.next('message', event => event.message.id === sent.id)).message
}

export const badRequest = (sentence: RegExp | string) => ({
  status: 400,
  body: { code: 'bad_request', error: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence) },
})
export const notFound = (sentence: RegExp) => ({
  status: 404,
  body: { code: 'not_found', error: expect.stringMatching(sentence) },
})
