import { once } from 'node:events'
import { createServer, Agent, request } from 'node:http'
import { Worker } from 'node:worker_threads'
import { privateChatId } from '@postern/protocol'
import { World } from '@postern/testkit'
import { test } from 'vitest'
import { onlineGateway } from './api.ts'

test('speed', async () => {
  const world = await World.start()
  const alice = await world.person('alice')
  const worker = new Worker(`
    const { createServer } = require('node:http'); const { parentPort } = require('node:worker_threads')
    let seen = 0
    const s = createServer((q, r) => { q.resume(); q.on('end', () => { seen++; r.writeHead(200).end() }) })
    s.listen(0, '127.0.0.1', () => parentPort.postMessage(s.address().port))
  `, { eval: true })
  const [port] = await once(worker, 'message')
  const first = await onlineGateway(world)
  await alice.openInvite((await first.api.me()).invite_url)
  const to = privateChatId(first.gateway.client.account)
  const N = 4000
  for (let at = 0; at < N; at += 200) await Promise.all(Array.from({ length: 200 }, (_, i) => alice.say(to, `text ${at + i} ${'x'.repeat(80)}`)))
  while (first.gateway.client.journal.newest() < N) await new Promise(r => setTimeout(r, 20))
  await world.closeGateway(first.gateway)
  const t0 = performance.now()
  const { gateway } = await onlineGateway(world, { WEBHOOK_URL: `http://127.0.0.1:${port}/`, WEBHOOK_SECRET: 's' })
  const t = performance.now()
  const jj = gateway.client.journal
  const orig = jj.confirm.bind(jj); let spent = 0, n = 0
  jj.confirm = async (...a) => { const b = performance.now(); await orig(...a); spent += performance.now() - b; n++ }
  const origRead = jj.read.bind(jj); let spentRead = 0
  jj.read = (...a) => { const b = performance.now(); try { return origRead(...a) } finally { spentRead += performance.now() - b } }
  const c0 = gateway.client.journal.confirmed('operator')
  while (gateway.client.journal.confirmed('operator') < N) await new Promise(r => setTimeout(r, 5))
  const ms = performance.now() - t
  console.log('start', t - t0, 'drained', N - c0, 'in', ms, 'rate/s', (N - c0) / ms * 1000)
  console.log('confirm us', spent / n * 1000, 'read us', spentRead / n * 1000)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const j = gateway.client.journal
  const tc = performance.now()
  for (let i = 0; i < 1000; i++) await j.confirm('operator', 1, 'recorded')
  console.log('confirm noop us', (performance.now() - tc))
  const t2 = performance.now()
  const body = Buffer.from(JSON.stringify({ x: 'y'.repeat(400) }))
  for (let i = 0; i < N; i++) await new Promise<void>(resolve => {
    const r = request(`http://127.0.0.1:${port}/`, { method: 'POST', agent, headers: { 'content-length': body.length } }, s => { s.resume(); s.on('close', () => resolve()) })
    r.end(body)
  })
  console.log('bare loop rate/s', N / (performance.now() - t2) * 1000)
  const t3 = performance.now()
  for (let i = 0; i < 10; i++) gateway.client.journal.read(0, 10000)
  console.log('read', (performance.now() - t3) / 10)
  await worker.terminate(); agent.destroy()
  await world.stop()
}, 120_000)
