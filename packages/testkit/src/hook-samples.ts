// One or more bodies as each sender posts them, and values that no sender posts.
import { readFileSync } from 'node:fs'
import type { HookFormat } from '@postern/bot-api'

type Sample = { json: unknown; headers: Record<string, string> }

const plain = (...all: unknown[]): Sample[] => all.map(json => ({ json, headers: {} }))
const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../gateway/test/fixtures/alerts/${name}.json`, import.meta.url), 'utf8'))

const repository = { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop' }
const project = { id: 7, name: 'Cart', path_with_namespace: 'shop/cart', web_url: 'https://git.example/shop/cart' }
const pipeline = {
  object_kind: 'pipeline',
  object_attributes: {
    id: 31,
    ref: 'main',
    tag: false,
    sha: 'bcbb5ec396',
    status: 'failed',
    url: 'https://git.example/31',
  },
  merge_request: { iid: 12, title: 'Count', source_branch: 'count', target_branch: 'main' },
  project,
  user: { name: 'Bob', username: 'bob' },
  commit: { id: 'bcbb5ec396', title: 'Count twice', author: { name: 'Alice', email: 'alice@example.org' } },
  builds: [{ name: 'unit', status: 'failed', allow_failure: false }],
}

const github = (event: string, json: object): Sample => ({
  json: { repository, ...json },
  headers: { 'x-github-event': event, 'x-github-delivery': 'd1' },
})
const sentry = (resource: string, json: object): Sample => ({ json, headers: { 'sentry-hook-resource': resource } })

const grafana = {
  version: '1',
  orgId: 1,
  status: 'firing',
  groupKey: 'g',
  externalURL: 'https://grafana.example/',
  commonLabels: { alertname: 'Memory' },
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'Memory', instance: 'db-1' },
      annotations: { summary: 'Memory is high' },
      values: { B: 93.1 },
      fingerprint: 'f',
      silenceURL: 'https://grafana.example/s',
      panelURL: 'https://grafana.example/p',
    },
  ],
}

const slack = {
  username: 'Jenkins',
  text: '*Build* <https://ci.example/42|42> `failed` _now_',
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: 'Build' } },
    { type: 'section', text: { type: 'mrkdwn', text: 'by *bob*' }, fields: [{ type: 'mrkdwn', text: '> a' }] },
    { type: 'actions', elements: [{ type: 'button', text: { text: 'Open' }, url: 'https://ci.example/' }] },
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: 'x', style: { bold: true } },
            { type: 'link', url: 'https://x.example/', text: 'y' },
            { type: 'emoji', name: 'a', unicode: '1f389' },
          ],
        },
        {
          type: 'rich_text_list',
          style: 'bullet',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'z' }] }],
        },
      ],
    },
  ],
  attachments: [
    {
      color: 'danger',
      pretext: 'p',
      title: 't',
      title_link: 'https://x.example/',
      text: '```a```',
      fields: [{ title: 'a', value: 'b' }],
      footer: 'f',
      actions: [{ text: 'Go', url: 'https://x.example/' }],
    },
  ],
}

const kuma = {
  heartbeat: { status: 0, msg: 'timeout', ping: null },
  monitor: { id: 3, name: 'shop', url: 'https://shop.example', hostname: 'h', port: 5 },
  msg: 'down',
}

export const sampleBodies: Partial<Record<HookFormat, Sample[]>> = {
  alerts: plain(fixture('firing-1'), fixture('all-resolved-many')),
  pipeline: plain(pipeline),
  text: plain({ text: 'The backup is done' }),
  slack: plain(slack),
  grafana: plain(grafana, { ...grafana, status: 'resolved' }),
  uptime_kuma: plain(kuma, { ...kuma, heartbeat: null }),
  github: [
    github('workflow_run', {
      action: 'completed',
      workflow_run: {
        name: 'CI',
        workflow_id: 7,
        head_branch: 'main',
        head_sha: 'bcbb5ec396',
        run_number: 1,
        conclusion: 'failure',
        html_url: 'https://x.example/',
        head_commit: { message: 'm', author: { name: 'Alice' } },
      },
    }),
    github('pull_request', { action: 'opened', pull_request: { number: 31, title: 't', user: { login: 'alice' } } }),
    github('release', { action: 'published', release: { tag_name: 'v1', name: 'n', html_url: 'https://x.example/' } }),
    github('deployment_status', { deployment_status: { state: 'failure', environment: 'e', description: 'd' } }),
  ],
  gitlab: plain(
    pipeline,
    {
      object_kind: 'merge_request',
      user: { name: 'a' },
      project,
      object_attributes: { iid: 1, title: 't', action: 'open', url: 'https://x.example/' },
    },
    { object_kind: 'tag_push', ref: 'refs/tags/v1', after: 'ab', user_name: 'a', project },
    { object_kind: 'release', action: 'create', tag: 'v1', name: 'n', project, url: 'https://x.example/' },
    { object_kind: 'deployment', status: 'failed', environment: 'e', project, user: { name: 'a' }, commit_title: 'c' },
  ),
  sentry: [
    sentry('event_alert', {
      data: {
        event: { title: 't', culprit: 'c', tags: [['environment', 'e']], web_url: 'https://x.example/' },
        triggered_rule: 'r',
      },
    }),
    sentry('metric_alert', {
      action: 'critical',
      data: { metric_alert: { id: '1' }, description_title: 't', description_text: 'd' },
    }),
    sentry('issue', {
      action: 'created',
      data: { issue: { title: 't', culprit: 'c', shortId: 'S-1', project: { name: 'p' } } },
    }),
  ],
}

const deep = JSON.parse(`${'[{"elements":'.repeat(2000)}[]${'}]'.repeat(2000)}`) as unknown

export const hostileValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\u0000\u0007\u001b[2J',
  '\u202eevil\u2066',
  'a\n🔥 Forged\u2028b',
  '<https://evil.example|https://bank.example>',
  '[a](javascript:alert(1))',
  'javascript:alert(1)',
  '```*_~`<>&amp;```',
  '*_~*_~*_~',
  '\ud83d',
  'https://x.example/\u202e',
  'https://a@b.example/',
  'z'.repeat(10_000),
  [],
  {},
  [[]],
  [null],
  { type: 'rich_text', elements: deep },
  { toString: 1, constructor: 2 },
  JSON.parse('{"__proto__":{"status":"firing"}}'),
  'constructor',
  '__proto__',
  'resolved',
  'success',
]
