// A consumer of a stream whose gateway is killed: it resumes behind the last event that it has.
import { join } from 'node:path'
import type { Update, UpdateReader } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import { freePort } from '@postern/testkit'
import { EventStream } from '@postern/testkit/event-stream'
import { test as base } from '@postern/testkit/fixtures'
import { GatewayProcess } from '@postern/testkit/processes'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { texts } from './reading.ts'

type Me = { id: string; invite_url: string }

const test = base.extend('served', async ({ world }, { onCleanup }) => {
  const place = { directory: join(world.directory, 'killed-gateway'), port: await freePort() }
  const gateway = new GatewayProcess(place, world.relayUrl)
  onCleanup(() => gateway.end())
  gateway.start()
  await gateway.listening()
  const ask = async <Answer>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${gateway.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Answer
  }
  await expect.poll(async () => (await ask<Me>('GET', '/v1/me')).invite_url, SOON).toContain('#i/')
  return { gateway, ask, me: await ask<Me>('GET', '/v1/me') }
})

test('[GATEWAY-5.19] after kill -9 a stream resumes behind the last event: nothing is lost and nothing comes twice', {
  timeout: 120_000,
}, async ({ alice, served: { gateway, ask, me } }) => {
  const toBot = privateChatId(me.id as never)
  const received: Update[] = []
  const receive = async (stream: EventStream, count: number) => {
    for (let at = 0; at < count; at++) received.push(await stream.update())
  }
  const said: string[] = []
  const say = async (text: string) => {
    said.push(text)
    await alice.say(toBot, text)
  }
  let stream = await EventStream.open(gateway, 'reader=consumer&types=message')
  await alice.openInvite(me.invite_url)
  for (const round of [1, 2, 3]) {
    for (const what of ['seen', 'on its way', 'behind']) await say(`${round} ${what}`)
    // One has arrived; the others are in the journal, on the connection, or still at the relay.
    await receive(stream, 1)
    const last = received.at(-1)?.id ?? expect.fail()
    // A confirmation survives the kill, and hides nothing that was not confirmed.
    if (round === 2) await ask('POST', '/v1/readers/consumer', { offset: last + 1 })
    await gateway.kill()
    await say(`${round} meanwhile`)
    gateway.start()
    await gateway.listening()
    if (round === 2) expect(await ask<UpdateReader[]>('GET', '/v1/readers')).toMatchObject([{ offset: last + 1 }])
    stream.leave()
    stream = await EventStream.open(gateway, 'reader=consumer&types=message', last)
    await receive(stream, 3)
  }
  await say('last')
  await receive(stream, 1)
  stream.leave()
  expect(texts(received)).toEqual(said)
  const ids = received.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other))
})
