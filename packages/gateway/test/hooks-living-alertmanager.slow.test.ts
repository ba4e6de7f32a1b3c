// The real Alertmanager and a living alert. Where it is not installed, this test is skipped.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageId } from '@postern/protocol'
import { freePort, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { hookedGateway, secretOf } from './hooks.ts'
import { buttonsOf, livingHook } from './living.ts'

const PROGRAM = 'prometheus-alertmanager'
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0
if (!isInstalled)
  process.stderr.write(`${PROGRAM} is not installed: living alerts are not tried with the real Alertmanager.\n`)

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

const test = base
  .extend('manager', () => freePort().then(port => ({ port, url: `http://127.0.0.1:${port}` })))
  .extend('living', ({ world, alice, manager }) =>
    hookedGateway(world, alice, { env: { BOT_OWNERS: alice.id, ALERTMANAGER_URL: manager.url, LANGUAGE: 'en' } }),
  )
  .extend('started', async ({ world, alice, living, manager }, { onCleanup }) => {
    const hook = await livingHook(living, alice.id)
    const config = join(world.directory, 'alertmanager.yml')
    writeFileSync(config, configOf(`${living.gateway.url}/hooks/${secretOf(hook)}`))
    const args = [
      `--config.file=${config}`,
      `--storage.path=${join(world.directory, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${manager.port}`,
      '--cluster.listen-address=',
    ]
    const child = spawn(PROGRAM, args, { stdio: 'ignore' })
    onCleanup(async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    })
    const isReady = () =>
      fetch(`${manager.url}/-/ready`).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(isReady, SOON).toBe(200)
    return manager
  })

test.skipIf(!isInstalled)(
  '[GATEWAY-14.20] a group is silenced there by a press, and the silence ended by another',
  async ({ alice, living, started }) => {
    const labels = { alertname: 'Down "now"', instance: 'a\\b', severity: 'critical' }
    await fetch(`${started.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ labels }]),
    })
    const message = () =>
      alice.client.messages.list(living.chatId, { limit: 10 }).find(({ text }) => text?.startsWith('🔥'))
    const button = (label: string) => buttonsOf(message() ?? {}).find(({ text }) => text === label)
    const press = async (label: string): Promise<string> => {
      await expect.poll(() => button(label), SOON).toBeDefined()
      const pressed = { message: message()?.id ?? ('' as MessageId), data: button(label)?.data ?? '' }
      const id = await alice.client.messages.press(living.chatId, pressed, WITHIN)
      return (await alice.next('toast', event => event.toast.press_id === id)).toast.text
    }
    const silences = async () =>
      (await (await fetch(`${started.url}/api/v2/silences`)).json()) as { status: { state: string } }[]
    expect(await press('Silence 1 h')).toMatch(/^Silenced until/)
    expect(await silences()).toMatchObject([{ status: { state: 'active' } }])
    const alerts = (await (await fetch(`${started.url}/api/v2/alerts`)).json()) as { status: { state: string } }[]
    expect(alerts).toMatchObject([{ status: { state: 'suppressed' } }])
    await expect.poll(() => message()?.text, SOON).toContain('🔕 until')
    expect(await press('End silence')).toBe('The silence is over')
    expect(await silences()).toMatchObject([{ status: { state: 'expired' } }])
  },
)
