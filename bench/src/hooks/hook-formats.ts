// Posts of each hook format beside posts of `text` to the same chat: what reading and remembering a format costs.
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { inTurn, median, ratePerSec } from '../figures.ts'
import { HttpApi } from '../http-api.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { type HookBot, startHookBot } from './hook-bot.ts'

const ROUNDS = 3
const SENDERS = 8
/** Posts per round. */
const COUNT = 150

type Post = { json: object; headers?: Record<string, string> }

/** More fields of the request that creates a hook: its format is the name in the table unless it is here. */
const hookFields: Readonly<Record<string, object>> = {
  template: { template: '{{status | upper}} {{alert.name | cut:80}}{{#each items}}\n{{title}}{{/each}}' },
  'living alerts': { format: 'alerts', options: { living: true } },
}

const repository = { full_name: 'acme/shop' }

/** Each post is another event. */
const posts: Readonly<Record<string, (at: number) => Post>> = {
  slack: at => ({
    json: {
      username: 'Jenkins',
      attachments: [
        { color: 'danger', title: `Build #${at}`, title_link: 'https://ci.example/', text: 'Tests: *2* of 90' },
      ],
    },
  }),
  grafana: at => ({
    json: {
      version: '1',
      orgId: 1,
      status: 'firing',
      groupKey: `g${at}`,
      commonLabels: { alertname: 'Memory' },
      alerts: [{ status: 'firing', labels: { instance: 'db-1' }, values: { B: 93.1 }, fingerprint: `${at}` }],
    },
  }),
  uptime_kuma: at => ({
    json: { heartbeat: { status: 0, msg: 'timeout' }, monitor: { id: at, name: 'shop', url: 'https://shop.example' } },
  }),
  github: at => ({
    json: { action: 'opened', repository, issue: { number: at, title: 'Wrong sum', user: { login: 'bob' } } },
    headers: { 'x-github-event': 'issues', 'x-github-delivery': `d${at}` },
  }),
  gitlab: at => ({
    json: {
      object_kind: 'merge_request',
      user: { name: 'Alice' },
      object_attributes: { iid: at, title: 'Count once', action: 'open', url: 'https://git.example/31' },
    },
    headers: { 'x-gitlab-event-uuid': `u${at}` },
  }),
  sentry: at => ({
    json: { action: 'created', data: { issue: { title: `Oops ${at}`, culprit: 'a.b' } } },
    headers: { 'sentry-hook-resource': 'issue', 'request-id': `r${at}` },
  }),
  template: at => ({
    json: { status: 'firing', alert: { name: `Memory ${at}` }, items: [{ title: 'one' }, { title: 'two' }] },
  }),
  // Each is a new group: a message with buttons.
  'living alerts': at => ({
    json: {
      version: '4',
      groupKey: `g${at}`,
      status: 'firing',
      groupLabels: { alertname: 'Memory' },
      alerts: [{ status: 'firing', labels: { alertname: 'Memory', instance: `db-${at}` }, fingerprint: `${at}` }],
    },
  }),
  auto: at => ({ json: { version: '4', groupKey: `g${at}`, status: 'firing', alerts: [{ fingerprint: `${at}` }] } }),
}

export const measureHookFormats = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bot = await startHookBot(join(directory, 'bot'), { people: 1 })
    const agent = new Agent({ keepAlive: true, maxSockets: SENDERS })
    const text = await hookOf(bot, 'text')
    const rows: Row[] = []
    let at = 0
    for (const [format, postOf] of Object.entries(posts)) {
      const address = await hookOf(bot, format)
      const rates = { ours: [] as number[], text: [] as number[] }
      const load = { count: COUNT, atOnce: SENDERS }
      const ours = () => ratePerSec(() => send({ agent, address }, postOf(++at)), load)
      const peer = () =>
        ratePerSec(() => send({ agent, address: text }, { json: { text: `A text, number ${++at}` } }), load)
      await inTurn(ROUNDS, [
        async () => void rates.ours.push(await ours()),
        async () => void rates.text.push(await peer()),
      ])
      rows.push({
        what: `posts of format ${format}, 8 senders`,
        ours: median(rates.ours),
        unit: '/s',
        peer: { what: 'posts of format text', figure: median(rates.text), better: 'more' },
      })
    }
    agent.destroy()
    await bot.stop()
    return rows
  })

async function hookOf(bot: HookBot, format: string): Promise<URL> {
  const api = new HttpApi(bot)
  const made = JSON.parse(
    await api.call('POST', '/v1/hooks', {
      chat_id: bot.chats[0],
      format,
      ...hookFields[format],
    }),
  ) as { url: string }
  api.close()
  return new URL(`/hooks/${made.url.split('/').at(-1)}`, bot.url)
}

type Target = { agent: Agent; address: URL }

function send({ agent, address }: Target, { json, headers }: Post): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const all = { 'content-type': 'application/json', ...headers }
  const sent = request(address, { method: 'POST', agent, headers: all }, answer => {
    answer.resume()
    answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))))
  })
  sent.on('error', reject)
  sent.end(JSON.stringify(json))
  return promise
}
