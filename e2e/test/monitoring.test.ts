// Compares the queries of deploy/monitoring with the metrics that a real gateway and a real relay serve. Promtool
// checks the rest if it is installed.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base } from '@postern/testkit/fixtures'
import { documentedMetrics, readScrape } from '@postern/testkit/scrape'
import { isOnPostgres } from '@postern/testkit/test-databases'
import { describe, expect } from 'vitest'
import { selectorsIn } from './promql.ts'

const MONITORING = join(import.meta.dirname, '../../deploy/monitoring')
const read = (name: string) => readFileSync(join(MONITORING, name), 'utf8')

const PROGRAM = 'promtool'
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0
if (!isInstalled) process.stderr.write(`${PROGRAM} is not installed: the rules and metrics are not checked by it.\n`)

const alertNames = [...read('alerts.yml').matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name)
const alertExpressions = [...read('alerts.yml').matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression)

type Place = { x: number; y: number; w: number; h: number }
type Dashboard = {
  panels: { id: number; title: string; gridPos: Place; targets?: { expr: string }[] }[]
  templating: { list: { query: string | { query: string } }[] }
}

/** As Prometheus receives them: Grafana inserts the names of instances, and the range of a rate. */
function dashboardExpressions(name: string): string[] {
  const { panels } = JSON.parse(read(name)) as Dashboard
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map(expr => expr.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '1m'))
}

const dashboards = ['gateways-dashboard.json', 'relay-dashboard.json'] as const

const test = base
  .extend('worldOptions', () => ({ relayMetrics: true }) as const)
  /** All served metrics, of a gateway with a webhook and agents, and of the relay, once somebody was refused there. */
  .extend('served', async ({ world }) => {
    const gateway = await world.gateway({
      WEBHOOK_URL: 'http://127.0.0.1:9/',
      WEBHOOK_SECRET: 's',
      MCP: 'on',
      MCP_TOKEN: 'token-of-agents',
    })
    await gateway.client.whenOnline({ timeoutMs: 60_000 })
    await gateway.api('POST', `/v1/chats/${'b'.repeat(32)}/messages`, { text: 'to nobody' })
    for (const data of ['gateway', 'relay'])
      writeFileSync(join(world.directory, data, 'last-backup'), `${new Date().toISOString()}\n`)
    const headers = { authorization: `Bearer ${gateway.token}` }
    return {
      gateway: await (await fetch(`${gateway.url}/v1/metrics`, { headers })).text(),
      relay: await (await fetch(`${world.relayMetricsUrl}/metrics`)).text(),
    }
  })

describe('what is asked', () => {
  test('[GATEWAY-12.9] every metric, label and value in the alerts and dashboards is one that is served', ({
    served,
  }) => {
    const [gateway, relay] = [readScrape(served.gateway), readScrape(served.relay)]
    const asked = {
      'alerts.yml': { expressions: alertExpressions, names: gateway.names.union(relay.names) },
      [dashboards[0]]: { expressions: dashboardExpressions(dashboards[0]), names: gateway.names },
      [dashboards[1]]: { expressions: dashboardExpressions(dashboards[1]), names: relay.names },
    }
    const samples = Object.keys({ ...gateway.samples, ...relay.samples })
    for (const [file, { expressions, names }] of Object.entries(asked)) {
      expect(expressions.length, `how many in ${file}`).toBeGreaterThan(15)
      for (const expression of expressions) {
        const selectors = selectorsIn(expression)
        expect(selectors, `in ${expression}`).not.toEqual([])
        for (const { name, finds } of selectors) {
          if (name === 'up') continue
          expect(names, `${file}: ${expression}`).toContain(name)
          // The backups of a PostgreSQL server are not the relay's.
          if (isOnPostgres() && name === 'postern_relay_backup_age_seconds') continue
          // It has a series for each push service, and nobody here has subscribed at one.
          if (name === 'postern_relay_pushes_total') continue
          expect(finds(samples), `${file} finds something by ${expression}`).toBe(true)
        }
      }
    }
  })

  test('[GATEWAY-12.9] everything that is served is on a dashboard, but for what another shows better', ({
    served,
  }) => {
    const shownIn = (file: string) =>
      new Set(dashboardExpressions(file).flatMap(expression => selectorsIn(expression).map(({ name }) => name)))
    const unshown = (text: string, file: string) =>
      readScrape(text)
        .shapes.map(shape => shape.split(/[ {]/)[0] ?? '')
        .filter(name => {
          const shown = shownIn(file)
          return !shown.has(name) && !shown.has(`${name}_bucket`)
        })
    const better = ['process_start_time_seconds', 'nodejs_eventloop_lag_p99_seconds']
    expect(unshown(served.gateway, dashboards[0]).toSorted()).toEqual(better.toSorted())
    expect(unshown(served.relay, dashboards[1]).toSorted()).toEqual(better.toSorted())
  })

  test('[GATEWAY-12.9] the variable of each dashboard finds its instances', ({ served }) => {
    for (const [file, text] of [
      [dashboards[0], served.gateway],
      [dashboards[1], served.relay],
    ] as const) {
      const { templating } = JSON.parse(read(file)) as Dashboard
      const queries = templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query))
      const metric = /^label_values\((\w+), instance\)$/.exec(queries[1] ?? '')?.[1]
      expect([...readScrape(text).names]).toContain(metric)
    }
  })

  test('[GATEWAY-12.9] each panel has an id and a place of its own', () => {
    const overlap = (one: Place, other: Place) =>
      one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h
    for (const file of dashboards) {
      const { panels } = JSON.parse(read(file)) as Dashboard
      expect(new Set(panels.map(({ id }) => id)).size, `ids in ${file}`).toBe(panels.length)
      for (const [at, { title, gridPos }] of panels.entries()) {
        expect(gridPos.x + gridPos.w, `${file}: ${title}`).toBeLessThanOrEqual(24)
        const under = panels.slice(at + 1).find(other => overlap(gridPos, other.gridPos))
        expect(under?.title, `${file}: under ${title}`).toBeUndefined()
      }
    }
  })

  test('[GATEWAY-12.9] what both tables of docs/operating.md name is named there in the same way', () => {
    const [gateway, relay] = ["The gateway's metrics", "The relay's metrics"].map(documentedMetrics)
    const shared = gateway?.filter(shape => relay?.includes(shape))
    expect(shared?.filter(shape => shape.startsWith('postern'))).toEqual(['postern_build_info{version} gauge'])
  })
})

describe('the alerts', () => {
  test('[GATEWAY-12.10] each has an expression, what is wrong, what to do, and a case in which it fires', () => {
    const text = read('alerts.yml')
    expect(alertNames.length).toBeGreaterThan(15)
    expect(new Set(alertNames).size).toBe(alertNames.length)
    for (const part of ['expr', 'labels', 'annotations', 'summary', 'description'])
      expect([...text.matchAll(new RegExp(`^ +${part}:`, 'gm'))], `how often ${part}`).toHaveLength(alertNames.length)
    const cases = read('alerts.test.yml').matchAll(/alertname: (\w+)\n +exp_alerts:\n/g)
    expect(new Set([...cases].map(([, name]) => name))).toEqual(new Set(alertNames))
  })

  test('[GATEWAY-12.10] the jobs that they name are those of prometheus.yml', () => {
    const jobs = new Set([...read('prometheus.yml').matchAll(/job_name: (\S+)/g)].map(([, name]) => name))
    const named = [...read('alerts.yml').matchAll(/job="([^"]+)"/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(jobs)
  })
})

/** The output of a failure, which is worth more than its status. */
function promtool(args: string[], { cwd = MONITORING, input = '' } = {}): string {
  const { status, stdout, stderr } = spawnSync(PROGRAM, args, { cwd, input, encoding: 'utf8' })
  return status === 0 ? 'fine' : `${stdout}${stderr}`
}

describe.runIf(isInstalled)('promtool', () => {
  test('[GATEWAY-12.10] finds the rules and the configuration in order, and the alerts fire as they should', () => {
    expect(promtool(['check', 'rules', 'alerts.yml'])).toBe('fine')
    expect(promtool(['test', 'rules', 'alerts.test.yml'])).toBe('fine')
    expect(promtool(['check', 'config', '--syntax-only', 'prometheus.yml'])).toBe('fine')
  })

  test('[GATEWAY-12.9] finds every expression of the dashboards in order', ({ world }) => {
    const rules = dashboards.flatMap(dashboardExpressions).map((expr, place) => ({ record: `panel:${place}`, expr }))
    const file = join(world.directory, 'panels.yml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    expect(promtool(['check', 'rules', file])).toBe('fine')
  })

  test('[GATEWAY-5.9] [RELAY-5.9] has nothing to say about what is served', ({ served }) => {
    for (const [whose, input] of Object.entries(served))
      expect([whose, promtool(['check', 'metrics'], { input })]).toEqual([whose, 'fine'])
  })
})
