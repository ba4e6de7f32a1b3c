// The real Prometheus with the example of deploy/monitoring. Where it is not installed, this is skipped.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const PROGRAM = 'prometheus'
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0
if (!isInstalled) process.stderr.write(`${PROGRAM} is not installed: the example for it is not tried.\n`)

const MONITORING = join(import.meta.dirname, '../../deploy/monitoring')
const METRICS_TOKEN = 'a-token-for-figures-alone'

type Target = { labels: { job: string }; health: string; lastError: string }
type Rule = { name: string; health: string; state: string; lastError?: string }

/** The example with other addresses, and another path of the token; nothing else is changed but its intervals. */
function filledIn(addresses: { gateway: string; relay: string; tokenFile: string }): string {
  const replaced = [
    ['127.0.0.1:8080', new URL(addresses.gateway).host],
    ['127.0.0.1:9464', new URL(addresses.relay).host],
    ['/etc/prometheus/postern-metrics-token', addresses.tokenFile],
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
    ['evaluation_interval: 15s', 'evaluation_interval: 1s'],
    ['- alerts.yml', `- ${join(MONITORING, 'alerts.yml')}`],
  ] as const
  let text = readFileSync(join(MONITORING, 'prometheus.yml'), 'utf8')
  for (const [from, to] of replaced) {
    expect(text).toContain(from)
    text = text.replaceAll(from, to)
  }
  return text
}

const test = base
  .extend('worldOptions', () => ({ relayMetrics: true }) as const)
  .extend('ask', async ({ world }, { onCleanup }) => {
    const gateway = await world.gateway({ METRICS_TOKEN })
    const tokenFile = join(world.directory, 'metrics-token')
    writeFileSync(tokenFile, METRICS_TOKEN)
    const config = join(world.directory, 'prometheus.yml')
    writeFileSync(config, filledIn({ gateway: gateway.url, relay: world.relayMetricsUrl ?? '', tokenFile }))
    const address = `127.0.0.1:${await freePort()}`
    const storage = join(world.directory, 'prometheus')
    const child = spawn(
      PROGRAM,
      [`--config.file=${config}`, `--storage.tsdb.path=${storage}`, `--web.listen-address=${address}`],
      { stdio: 'ignore' },
    )
    onCleanup(async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    })
    return async <Data>(path: string): Promise<Data | undefined> => {
      const answer = await fetch(`http://${address}/api/v1/${path}`).catch(() => undefined)
      return answer?.ok ? ((await answer.json()) as { data: Data }).data : undefined
    }
  })

test.runIf(isInstalled)(
  '[GATEWAY-12.11] it scrapes gateway and relay, and has no fault in any alert',
  async ({ ask }) => {
    const targets = async () => {
      const { activeTargets = [] } = (await ask<{ activeTargets: Target[] }>('targets')) ?? {}
      return activeTargets.map(({ labels, health, lastError }) => `${labels.job} ${health} ${lastError}`).toSorted()
    }
    await expect.poll(targets).toEqual(['postern-gateway up ', 'postern-relay up '])
    const rules = async () => {
      const { groups = [] } = (await ask<{ groups: { rules: Rule[] }[] }>('rules')) ?? {}
      return groups.flatMap(group => group.rules)
    }
    const alerts = readFileSync(join(MONITORING, 'alerts.yml'), 'utf8').match(/- alert:/g) ?? []
    await expect.poll(async () => (await rules()).filter(({ health }) => health === 'ok').length).toBe(alerts.length)
    expect((await rules()).filter(({ state }) => state === 'firing')).toEqual([])
  },
)
