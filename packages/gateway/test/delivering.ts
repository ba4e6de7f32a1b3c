// A gateway that delivers by webhook to a receiver, and alice's messages to the bot.
import { type WebhookStatus, webhookStatus } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import type { ManualClock, TestGateway, TestPerson, World } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import type { TestReceiver } from './receiver.ts'

export const SECRET = 'a shared secret'

export const webhookTo = (url: string) => ({ WEBHOOK_URL: url, WEBHOOK_SECRET: SECRET })

type Ends = { world: World; alice: TestPerson; receiver: TestReceiver }

/** After the update about the chat with alice has arrived. */
export async function deliveringTo({ world, alice, receiver }: Ends, clock?: ManualClock) {
  const { gateway, api } = await onlineGateway(world, webhookTo(receiver.url), clock ? { clock } : {})
  await alice.openInvite((await api.me()).invite_url)
  await arrivedAt(receiver, ['chat'])
  await statusOnce(api, ({ pending }) => pending === 0)
  receiver.requests.length = 0
  const say = (...texts: string[]) => sayAll(alice, gateway, texts)
  return { gateway, api, say, status: () => status(api) }
}

export async function sayAll(alice: TestPerson, { client }: TestGateway, texts: string[]): Promise<void> {
  for (const text of texts) await alice.say(privateChatId(client.account), text)
}

export async function arrivedAt(receiver: TestReceiver, texts: string[]): Promise<void> {
  await expect.poll(() => receiver.texts, SOON).toEqual(texts)
}

export const status = async (api: Api): Promise<WebhookStatus> =>
  webhookStatus.parse(await api.ok('GET', '/v1/webhook'))

export async function statusOnce(api: Api, is: (status: WebhookStatus) => boolean): Promise<WebhookStatus> {
  for (;;) {
    const now = await status(api)
    if (is(now)) return now
  }
}
