// A gateway with one chat, in which alice writes what readers read.
import type { Update, UpdateReader } from '@postern/bot-api'
import { type Clock, privateChatId } from '@postern/protocol'
import type { TestPerson, World } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'

export async function reading(
  world: World,
  alice: TestPerson,
  { env = {}, clock }: { env?: Record<string, string>; clock?: Clock } = {},
) {
  const { gateway, api } = await onlineGateway(world, env, clock ? { clock } : {})
  await alice.openInvite((await api.me()).invite_url)
  const { journal, account } = gateway.client
  await expect.poll(() => journal.newest(), SOON).toBe(1)
  /** Resolves when all of it is in the journal. */
  const say = async (...texts: string[]): Promise<void> => {
    const before = journal.newest()
    for (const text of texts) await alice.say(privateChatId(account), text)
    await expect.poll(() => journal.newest(), SOON).toBe(before + texts.length)
  }
  return { gateway, api, say }
}

export const texts = (updates: Update[]) =>
  updates.map(update => (update.type === 'message' ? update.message.text : update.type))

export const readers = (api: Api): Promise<UpdateReader[]> => api.ok<UpdateReader[]>('GET', '/v1/readers')
