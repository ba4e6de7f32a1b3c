// The real Alertmanager against a hook. Where it is not installed, these tests are skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedHook } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import { freePort, type Person, type TestGateway, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SOON } from './api.ts'
import { hearsFrom, hookedGateway, newHook, secretOf } from './hooks.ts'

const PROGRAM = 'prometheus-alertmanager'
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0
if (!isInstalled)
  process.stderr.write(`${PROGRAM} is not installed: the tests with the real Alertmanager are skipped.\n`)

let world: World
let alice: Person
let gateway: TestGateway
let hook: CreatedHook
let manager: { process: ChildProcess; url: string } | undefined

beforeEach(async () => {
  if (!isInstalled) return
  world = await World.start()
  alice = await world.person('alice')
  const online = await hookedGateway(world, alice)
  gateway = online.gateway
  hook = await newHook(online.api, alice.id, 'alerts')
  manager = await startManager()
})
afterEach(async () => {
  if (!isInstalled) return
  if (manager) {
    const ended = once(manager.process, 'exit')
    manager.process.kill('SIGKILL')
    await ended
  }
  await world.stop()
})

async function startManager() {
  const port = await freePort()
  const config = join(world.directory, 'alertmanager.yml')
  writeFileSync(
    config,
    `route:
  receiver: chat
  group_by: [alertname]
  group_wait: 100ms
  group_interval: 1s
  repeat_interval: 1h
receivers:
  - name: chat
    webhook_configs:
      - url: ${gateway.url}/hooks/${secretOf(hook)}
        send_resolved: true
`,
  )
  const args = [
    `--config.file=${config}`,
    `--storage.path=${join(world.directory, 'alertmanager')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]
  const child = spawn(PROGRAM, args, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(isReady, SOON).toBe(200)
  return { process: child, url }
}

type Alert = { name: string; instance: string; isOver?: boolean }

async function raise(...alerts: Alert[]): Promise<void> {
  const body = alerts.map(({ name, instance, isOver }) => ({
    labels: { alertname: name, instance, severity: 'critical' },
    annotations: { summary: `${name} on ${instance}` },
    ...(isOver && { endsAt: new Date(Date.now() - 1000).toISOString() }),
  }))
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${manager?.url}/api/v2/alerts`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  expect(status).toBe(200)
}

test.skipIf(!isInstalled)(
  '[GATEWAY-10.24] what it fires is written, and what it resolves replies to that',
  async () => {
    await raise({ name: 'Down', instance: 'a' }, { name: 'Down', instance: 'b' })
    const fired = await hearsFrom(alice, '🔥 Down: 2 срабатывания')
    expect(fired.text?.split('\n').slice(1).toSorted()).toEqual(['Down on a (critical, a)', 'Down on b (critical, b)'])
    await raise({ name: 'Down', instance: 'a', isOver: true })
    const mixed = await hearsFrom(alice, '🔥 Down: 1 срабатывание, устранено: 1')
    await raise({ name: 'Down', instance: 'b', isOver: true })
    expect((await hearsFrom(alice, '✅ Устранено: Down')).reply_to).toBe(mixed.id)
  },
)

test.skipIf(!isInstalled)('[GATEWAY-10.24] it tries again after a 502, and nothing is doubled', async () => {
  gateway.wire.cut()
  await raise({ name: 'Lost', instance: 'a' })
  await expect.poll(hookFigures, SOON).toContain('{outcome="unavailable"} 1')
  gateway.wire.mend()
  await gateway.client.whenOnline(WITHIN)
  await hearsFrom(alice, '🔥 Lost')
  await raise({ name: 'Lost', instance: 'a', isOver: true })
  await hearsFrom(alice, '✅ Устранено: Lost')
  expect(alice.texts(privateChatId(gateway.client.account))).toHaveLength(2)
})

async function hookFigures(): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/metrics`, { headers: { authorization: `Bearer ${gateway.token}` } })
  return (await answer.text())
    .split('\n')
    .filter(line => line.startsWith('postern_hook_posts_total'))
    .join('\n')
}
