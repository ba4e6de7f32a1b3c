// The real Alertmanager with its own receiver for Telegram. Where it is not installed, this test is skipped.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@postern/testkit/free-port'
import { expect } from 'vitest'
import { SOON } from './bot-receiver.ts'
import { startForeign } from './foreign-bots.ts'
import { TOKEN, test } from './telegram.ts'

const PROGRAM = 'prometheus-alertmanager'
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0

test('[TELEGRAM-1.1] Alertmanager with telegram_configs writes what fires and what is resolved', async ({
  skip,
  world,
  telegram,
  alice,
  chat,
  atEnd,
}) => {
  skip(!isInstalled, `not run: ${PROGRAM} is not installed`)
  const port = await freePort()
  const config = join(world.directory, 'alertmanager.yml')
  writeFileSync(
    config,
    `route: {receiver: chat, group_by: [alertname], group_wait: 100ms, group_interval: 1s, repeat_interval: 1h}
receivers:
  - name: chat
    telegram_configs:
      - {api_url: "${telegram.root}", bot_token: "123456:${TOKEN}", chat_id: ${chat}, parse_mode: HTML, send_resolved: true}
`,
  )
  const manager = startForeign(
    [
      PROGRAM,
      `--config.file=${config}`,
      `--storage.path=${join(world.directory, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { cwd: world.directory },
  )
  atEnd(() => manager.kill())
  const url = `http://127.0.0.1:${port}`
  const statusOf = async (path: string) => (await fetch(url + path).catch(() => undefined))?.status
  await expect.poll(() => statusOf('/-/ready'), SOON).toBe(200)
  const post = async (times: object) => {
    const alert = { labels: { alertname: 'Down', instance: 'a<b' }, annotations: { summary: 'It is down' }, ...times }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body: JSON.stringify([alert]) })
    expect(answer.status).toBe(200)
  }
  await post({})
  const fired = await alice.next('message', event => event.message.text?.includes('Alerts Firing') === true)
  // In HTML the sign is written in another way.
  expect(fired.message.text).toContain('a<b')
  await post({ endsAt: new Date(Date.now() - 1000).toISOString() })
  await alice.next('message', event => event.message.text?.includes('Alerts Resolved') === true)
  expect(manager.output()).not.toMatch(/level=error/)
})
