// A bot that was alone in a group continues with another person: the removed person must read nothing more.
import type { ChatId } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { readsOn } from '@postern/testkit/removed-follower'
import { expect } from 'vitest'
import { test } from './fixtures.ts'
import { grouped, sees } from './talking.ts'

type Session = Parameters<typeof readsOn>[0]
type Inside = {
  store: { get<Row>(sql: string, ...values: unknown[]): Row | undefined }
  groups: { run<T>(group: string, work: (live: { session: Session }) => Promise<T>): Promise<T> }
}

async function sessionOf({ client }: TestPerson, chat: ChatId): Promise<Session> {
  const { store, groups } = (client as unknown as { core: Inside }).core
  const row = store.get<{ group_id: string }>('SELECT group_id FROM chat WHERE id = ?', chat)
  if (!row) throw new Error('there is no such chat')
  return await groups.run(row.group_id, async live => live.session)
}

test('[CORE-2.12] who was removed by a bot that was alone then reads nothing of what it tells others later', async ({
  bob,
  carol,
  online: { gateway, api },
}) => {
  const { path, chat } = await grouped(api, [bob])
  await sees(bob, await api.ok('POST', `${path}/messages`, { text: 'together' }))
  const removed = await sessionOf(bob, chat)
  const sent: Uint8Array[] = []
  gateway.wire.outgoing = frame => {
    const asked = decodeClientFrame(frame.slice())
    if (asked.kind === 'call' && (asked.name === 'commit' || asked.name === 'appendMarked'))
      sent.push((asked.request as { payload: Uint8Array }).payload)
    return [frame]
  }
  await gateway.client.chats.removeMembers(chat, [bob.id], WITHIN)
  await api.ok('POST', `${path}/messages`, { text: 'alone' })
  await gateway.client.chats.addMembers(chat, [carol.id], WITHIN)
  await sees(carol, await api.ok('POST', `${path}/messages`, { text: 'hello carol' }))
  expect(sent.length).toBeGreaterThanOrEqual(4)
  expect(await readsOn(removed, sent)).toEqual([])
})
