// A thousand living groups of alerts, each of which changes every second: processor time, edits, and posts that wait.
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { median, percentile } from '../figures.ts'
import { type HookBot, startHookBot } from '../hooks/hook-bot.ts'
import { HttpApi } from '../http-api.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const GROUPS = 1_000
const SECONDS = 30
const SENDERS = 8
/** Below the backlog of a listening socket: connections beyond it are tried again after seconds. */
const CONNECTIONS = 256
/** Direct edits through the API: as many messages as there are groups, each once. */
const EDITS = 1_000

type Side = { perSec: number; cpuMsEach: number; relayCpuMsEach: number }
type Living = Side & { changes: number; edits: number; refused: number; waiting: number[]; answerMs: number[] }

export const measureLiving = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bot = await startHookBot(join(directory, 'bot'), { people: 1 })
    const direct = await measureEdits(bot)
    const living = await measureGroups(bot)
    await bot.stop()
    const what = `${GROUPS} living groups that change every second`
    const peer = (figure: number, better: 'more' | 'less') => ({
      what: `PATCH of a message with buttons, ${SENDERS} connections`,
      figure,
      better,
    })
    return [
      { what: `${what}: edits`, ours: living.perSec, unit: '/s', peer: peer(direct.perSec, 'more') },
      {
        what: `${what}: CPU of gateway, an edit`,
        ours: living.cpuMsEach,
        unit: 'ms',
        peer: peer(direct.cpuMsEach, 'less'),
      },
      {
        what: `${what}: CPU of relay, an edit`,
        ours: living.relayCpuMsEach,
        unit: 'ms',
        peer: peer(direct.relayCpuMsEach, 'less'),
      },
      { what: `${what}: changes in one edit`, ours: living.changes / living.edits, unit: '' },
      { what: `${what}: posts that wait, median`, ours: median(living.waiting), unit: '' },
      { what: `${what}: posts that wait, most`, ours: Math.max(...living.waiting), unit: '' },
      { what: `${what}: post to its answer, p50`, ours: median(living.answerMs), unit: 'ms' },
      { what: `${what}: post to its answer, p99`, ours: percentile(living.answerMs, 0.99), unit: 'ms' },
      { what: `${what}: posts not answered 200`, ours: living.refused, unit: '' },
    ]
  })

/** Each edit is one request; the messages have the buttons of a group. */
async function measureEdits(bot: HookBot): Promise<Side> {
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS })
  const chat = bot.chats[0] ?? ''
  const api = new HttpApi(bot)
  const buttons = [
    [
      { text: 'Take it', data: 'take' },
      { text: 'Silence', data: 'silence' },
    ],
  ]
  const ids: string[] = []
  for (let at = 0; at < EDITS; at++) {
    const text = `🔥 Memory: 1\ndb-${at} (critical), 1 min`
    ids.push((JSON.parse(await api.call('POST', `/v1/chats/${chat}/messages`, { text, buttons })) as { id: string }).id)
  }
  api.close()
  const edit = (id: string, at: number) =>
    ask(agent, {
      address: new URL(`/v1/chats/${chat}/messages/${id}`, bot.url),
      method: 'PATCH',
      token: bot.token,
      json: { text: `🔥 Memory: 1\ndb-${at} (warning), 2 min`, buttons },
    })
  const before = await bot.usage()
  const startedMs = performance.now()
  let next = 0
  const worker = async () => {
    while (next < EDITS) {
      const at = next++
      await edit(ids[at] ?? '', at)
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, worker))
  const tookMs = performance.now() - startedMs
  const after = await bot.usage()
  agent.destroy()
  return {
    perSec: (EDITS * 1000) / tookMs,
    cpuMsEach: (after.gateway - before.gateway) / EDITS,
    relayCpuMsEach: (after.relay - before.relay) / EDITS,
  }
}

async function measureGroups(bot: HookBot): Promise<Living> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const api = new HttpApi(bot)
  const fields = { chat_id: bot.chats[0], format: 'alerts', options: { living: true } }
  const hook = JSON.parse(await api.call('POST', '/v1/hooks', fields)) as { url: string }
  api.close()
  const address = new URL(`/hooks/${hook.url.split('/').at(-1)}`, bot.url)
  const post = (group: number, change: number) => ask(agent, { address, method: 'POST', json: bodyOf(group, change) })
  const groups = Array.from({ length: GROUPS }, (_, at) => at)
  // As Alertmanager sends: a group's next notification begins when the last one was answered.
  const underWay = new Set<number>()
  const waiting: number[] = []
  const answerMs: number[] = []
  let [changes, refused] = [0, 0]
  const send = async (group: number, change: number) => {
    underWay.add(group)
    changes++
    const startedMs = performance.now()
    await post(group, change).catch(() => refused++)
    answerMs.push(performance.now() - startedMs)
    underWay.delete(group)
  }
  for (let from = 0; from < GROUPS; from += CONNECTIONS)
    await Promise.all(groups.slice(from, from + CONNECTIONS).map(group => post(group, 0)))
  const before = await bot.usage()
  const startedMs = performance.now()
  const sends: Promise<void>[] = []
  for (let second = 1; second <= SECONDS; second++) {
    for (const group of groups) if (!underWay.has(group)) sends.push(send(group, second))
    await wait(Math.max(0, startedMs + second * 1000 - performance.now()))
    waiting.push(underWay.size)
  }
  await Promise.all(sends)
  const tookMs = performance.now() - startedMs
  const after = await bot.usage()
  agent.destroy()
  const edits = after.edits - before.edits
  return {
    perSec: (edits * 1000) / tookMs,
    cpuMsEach: (after.gateway - before.gateway) / edits,
    relayCpuMsEach: (after.relay - before.relay) / edits,
    changes,
    edits,
    refused,
    waiting,
    answerMs,
  }
}

/** Its second alert begins again and ends again, so each change is seen. */
function bodyOf(group: number, change: number) {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
  const isOver = change % 2 === 0
  const alert = (name: string) => ({ labels: { alertname: 'Memory', instance: name, severity: 'critical' } })
  return {
    version: '4',
    status: 'firing',
    groupKey: `g${group}`,
    groupLabels: { alertname: 'Memory', group: String(group) },
    alerts: [
      { ...alert(`db-${group}`), status: 'firing', startsAt: at(0), fingerprint: 'a' },
      {
        ...alert(`web-${group}`),
        status: isOver ? 'resolved' : 'firing',
        startsAt: at(change - (isOver ? 1 : 0)),
        ...(isOver && { endsAt: at(change) }),
        fingerprint: 'b',
      },
    ],
  }
}

type Asked = { address: URL; method: 'POST' | 'PATCH'; json: object; token?: string }

function ask(agent: Agent, { address, method, json, token }: Asked): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const sent = request(address, { method, agent, headers }, answer => {
    answer.resume()
    answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))))
  })
  sent.on('error', reject)
  sent.end(JSON.stringify(json))
  return promise
}
