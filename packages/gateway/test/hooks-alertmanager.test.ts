// The real Alertmanager against a hook. Where it is not installed, these tests are skipped.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type TestGateway, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { hearsFrom, newHook, secretOf } from './hooks.ts'

const PROGRAM = 'prometheus-alertmanager'
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0
if (!isInstalled)
  process.stderr.write(`${PROGRAM} is not installed: the tests with the real Alertmanager are skipped.\n`)

const configOf = (hookUrl: string): string => `route:
  receiver: chat
  group_by: [alertname]
  group_wait: 100ms
  group_interval: 1s
  repeat_interval: 1h
receivers:
  - name: chat
    webhook_configs:
      - url: ${hookUrl}
        send_resolved: true
`

type Alert = { name: string; instance: string; isOver?: boolean }

const test = base
  .extend('hook', ({ hooked, alice }) => newHook(hooked.api, alice.id, 'alerts'))
  .extend('manager', async ({ world, hooked, hook }, { onCleanup }) => {
    const port = await freePort()
    const config = join(world.directory, 'alertmanager.yml')
    writeFileSync(config, configOf(`${hooked.gateway.url}/hooks/${secretOf(hook)}`))
    const args = [
      `--config.file=${config}`,
      `--storage.path=${join(world.directory, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ]
    const child = spawn(PROGRAM, args, { stdio: 'ignore' })
    onCleanup(async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    })
    const url = `http://127.0.0.1:${port}`
    const isReady = () =>
      fetch(`${url}/-/ready`).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(isReady, SOON).toBe(200)
    return { url }
  })
  /** Raises alerts in the Alertmanager. */
  .extend('raise', ({ manager }) => async (...alerts: Alert[]): Promise<void> => {
    const body = alerts.map(({ name, instance, isOver }) => ({
      labels: { alertname: name, instance, severity: 'critical' },
      annotations: { summary: `${name} on ${instance}` },
      ...(isOver && { endsAt: new Date(Date.now() - 1000).toISOString() }),
    }))
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(`${manager.url}/api/v2/alerts`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(status).toBe(200)
  })

test.skipIf(!isInstalled)(
  '[GATEWAY-10.24] what it fires is written, and what it resolves replies to that',
  async ({ alice, raise }) => {
    await raise({ name: 'Down', instance: 'a' }, { name: 'Down', instance: 'b' })
    const fired = await hearsFrom(alice, '🔥 Down: 2 срабатывания')
    expect(fired.text?.split('\n').slice(1).toSorted()).toEqual(['Down on a (critical, a)', 'Down on b (critical, b)'])
    await raise({ name: 'Down', instance: 'a', isOver: true })
    const mixed = await hearsFrom(alice, '🔥 Down: 1 срабатывание, устранено: 1')
    await raise({ name: 'Down', instance: 'b', isOver: true })
    expect((await hearsFrom(alice, '✅ Устранено: Down')).reply_to).toBe(mixed.id)
  },
)

test.skipIf(!isInstalled)(
  '[GATEWAY-10.24] it tries again after a 502, and nothing is doubled',
  async ({ alice, hooked, raise }) => {
    hooked.gateway.wire.cut()
    await raise({ name: 'Lost', instance: 'a' })
    await expect.poll(() => hookFigures(hooked.gateway), SOON).toContain('{outcome="unavailable"} 1')
    hooked.gateway.wire.mend()
    await hooked.gateway.client.whenOnline(WITHIN)
    await hearsFrom(alice, '🔥 Lost')
    await raise({ name: 'Lost', instance: 'a', isOver: true })
    await hearsFrom(alice, '✅ Устранено: Lost')
    expect(alice.texts(hooked.chatId)).toHaveLength(2)
  },
)

async function hookFigures(gateway: TestGateway): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/metrics`, { headers: { authorization: `Bearer ${gateway.token}` } })
  return (await answer.text())
    .split('\n')
    .filter(line => line.startsWith('postern_hook_posts_total'))
    .join('\n')
}
