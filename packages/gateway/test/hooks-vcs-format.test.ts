// The formats `github`, `gitlab` and `sentry`: the bodies, the texts in both languages, and what they remember.
import { createRequire } from 'node:module'
import type { WebhookDefinition } from '@octokit/webhooks-examples'
import { CodedError, type MessageId } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { formatOf, formats } from '../src/hooks/formats/formats.ts'
import { readGithub } from '../src/hooks/formats/github.ts'
import { readGitlab } from '../src/hooks/formats/gitlab.ts'
import type { PostBody } from '../src/hooks/formats/post-body.ts'
import { readSentry } from '../src/hooks/formats/sentry.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

type Json = Record<string, unknown>

const bodyOf = (json: unknown, headers: Record<string, string> = {}): PostBody => ({
  text: JSON.stringify(json),
  type: 'application/json',
  headers,
})
const MESSAGE = 'm1' as MessageId

describe('github', () => {
  const repository = { full_name: 'acme/shop' }
  const run = (conclusion: string | null, more: Json = {}): Json => ({
    action: 'completed',
    repository,
    workflow_run: {
      name: 'CI',
      workflow_id: 7,
      head_branch: 'main',
      head_sha: 'bcbb5ec396a2c0f828686f14fac9b80b780504f2',
      run_number: 142,
      conclusion,
      html_url: 'https://github.com/acme/shop/actions/runs/9',
      head_commit: { message: 'Count twice\n\nand more', author: { name: 'Alice' } },
      head_repository: repository,
      ...more,
    },
  })
  const request = (action: string, more: Json = {}): Json => ({
    action,
    number: 31,
    repository,
    pull_request: {
      number: 31,
      title: 'Count once',
      user: { login: 'alice' },
      html_url: 'https://github.com/acme/shop/pull/31',
      ...more,
    },
  })
  const read = (event: string, json: Json, language: 'ru' | 'en' = 'en') =>
    readGithub(bodyOf(json, { 'x-github-event': event }), wordsIn[language].github)
  const about = ['Branch: main, run 142', 'Commit: bcbb5ec3 Count twice (Alice)']
  const runLink = 'https://github.com/acme/shop/actions/runs/9'
  const requestLines = ['Repository: acme/shop', 'https://github.com/acme/shop/pull/31']

  const texts: [string, Json, string[]][] = [
    ['workflow_run', run('failure'), ['❌ CI failed: acme/shop', ...about, runLink]],
    ['workflow_run', run('timed_out'), ['❌ CI failed: acme/shop', ...about, runLink]],
    ['workflow_run', run('cancelled'), ['🚫 CI canceled: acme/shop', ...about, runLink]],
    ['workflow_run', run('action_required'), ['✋ CI waits for approval: acme/shop', ...about, runLink]],
    ['workflow_run', run('success'), ['✅ Fixed: CI, acme/shop', ...about, runLink]],
    ['pull_request', request('opened'), ['🔀 PR 31: Count once (alice)', ...requestLines]],
    ['pull_request', request('closed', { merged: true }), ['✅ PR 31 merged: Count once (alice)', ...requestLines]],
    ['pull_request', request('closed'), ['🚫 PR 31 closed: Count once (alice)', ...requestLines]],
    [
      'issues',
      { action: 'opened', repository, issue: { number: 5, title: 'Wrong sum', user: { login: 'bob' } } },
      ['📌 Issue 5: Wrong sum (bob)', 'Repository: acme/shop'],
    ],
    [
      'release',
      { action: 'published', repository, release: { tag_name: 'v1.8', name: 'Sums' } },
      ['🚀 Release v1.8: acme/shop', 'Sums'],
    ],
    [
      'deployment_status',
      {
        repository,
        deployment_status: { state: 'failure', environment: 'production', log_url: 'https://ci.example/1' },
      },
      ['❌ Deployment to production failed: acme/shop', 'https://ci.example/1'],
    ],
  ]
  test.each(texts)('[GATEWAY-10.40] %s %#', (event, json, lines) => {
    expect(read(event, json)?.text.split('\n')).toEqual(lines)
  })

  test('[GATEWAY-10.40] in Russian', () => {
    expect(read('workflow_run', run('failure'), 'ru')?.text.split('\n').slice(0, 3)).toEqual([
      '❌ CI упал: acme/shop',
      'Ветка: main, запуск 142',
      'Коммит: bcbb5ec3 Count twice (Alice)',
    ])
    expect(read('pull_request', request('closed', { merged: true }), 'ru')?.text).toMatch(
      /^✅ PR 31 принят: Count once/,
    )
  })

  test('[GATEWAY-10.40] what is not written: other events and actions, drafts, runs that go on', () => {
    const silent: [string, Json][] = [
      ['ping', { zen: 'x' }],
      ['push', {}],
      ['constructor', {}],
      ['workflow_run', { ...run(null), action: 'requested' }],
      ['workflow_run', run('skipped')],
      ['pull_request', request('labeled')],
      ['pull_request', request('toString')],
      ['pull_request', request('opened', { draft: true })],
      ['deployment_status', { deployment_status: { state: 'success' } }],
    ]
    expect(silent.map(([event, json]) => read(event, json))).toEqual(silent.map(() => undefined))
    expect(() => readGithub(bodyOf({}), wordsIn.en.github)).toThrow('X-GitHub-Event: must name the event.')
  })

  test('[GATEWAY-10.40] a success is written after a failure of the same workflow and branch, not from before it', () => {
    const { github } = formats
    const post = (conclusion: string, number: number) =>
      github.read(bodyOf(run(conclusion, { run_number: number }), { 'x-github-event': 'workflow_run' }), wordsIn.en)
    const failed = post('failure', 5).plan(undefined, 0)
    expect(failed).toMatchObject({ kind: 'write', becomes: { becomes: 'failed', number: 5 } })
    const broken = github.kept({ becomes: 'failed', number: 5 }, { message: MESSAGE, saidMs: 0, past: undefined })
    const kinds = [post('success', 4), post('success', 5), post('success', 6)].map(({ plan }) => plan(broken, 0).kind)
    expect(kinds).toEqual(['skip', 'write', 'write'])
    expect(post('success', 6).plan(undefined, 0).kind).toBe('skip')
    expect(post('success', 6).plan(broken, 0)).toMatchObject({ silent: true, becomes: { becomes: 'mended' } })
    const fork = run('success', { head_repository: { full_name: 'mallory/shop' } })
    const forked = github.read(bodyOf(fork, { 'x-github-event': 'workflow_run' }), wordsIn.en)
    expect(forked.subject).not.toBe(post('success', 6).subject)
  })

  test('[GATEWAY-10.40] every example that GitHub publishes is read, as JSON and as a form', () => {
    const all = createRequire(import.meta.url)('@octokit/webhooks-examples') as WebhookDefinition[]
    const written = new Map<string, number>()
    for (const { name, examples } of all)
      for (const json of examples as unknown as Json[]) {
        const event = read(name, json)
        if (event) written.set(name, (written.get(name) ?? 0) + 1)
        const text = new URLSearchParams({ payload: JSON.stringify(json) }).toString()
        const form = { text, type: 'application/x-www-form-urlencoded', headers: { 'x-github-event': name } }
        expect(readGithub(form, wordsIn.en.github)?.text).toEqual(event?.text)
        expect(event?.text ?? '').not.toMatch(/undefined|null|\[object/)
      }
    expect([...written.keys()].toSorted()).toEqual(['issues', 'pull_request', 'release', 'workflow_run'])
  })
})

describe('gitlab', () => {
  const project = { id: 7, path_with_namespace: 'shop/cart', web_url: 'https://git.example/shop/cart' }
  const changed = (kind: string, action: string, more: Json = {}): Json => ({
    object_kind: kind,
    user: { name: 'Alice' },
    project,
    object_attributes: { iid: 31, title: 'Count once', action, url: 'https://git.example/shop/cart/-/31', ...more },
  })
  const read = (json: Json, language: 'ru' | 'en' = 'en') =>
    readGitlab(json, wordsIn[language].gitlab)?.text.split('\n')
  const rest = ['shop/cart', 'https://git.example/shop/cart/-/31']

  test('[GATEWAY-10.41] merge requests, issues, tags, releases and deployments', () => {
    expect(read(changed('merge_request', 'open'))).toEqual(['🔀 MR 31 opened: Count once (Alice)', ...rest])
    expect(read(changed('merge_request', 'merge'), 'ru')).toEqual(['✅ MR 31 влит: Count once (Alice)', ...rest])
    expect(read(changed('issue', 'close'))).toEqual(['✅ Issue 31 closed: Count once (Alice)', ...rest])
    const tag = { object_kind: 'tag_push', ref: 'refs/tags/v1.8', after: 'ab12', user_name: 'Alice', project }
    expect(read(tag, 'ru')).toEqual(['🏷 Тег v1.8: shop/cart (Alice)', 'https://git.example/shop/cart'])
    expect(read({ ...tag, after: '0'.repeat(40) })).toBeUndefined()
    const release = {
      object_kind: 'release',
      action: 'create',
      tag: 'v1.8',
      name: 'Sums',
      project,
      url: 'https://x.example/',
    }
    expect(read(release)).toEqual(['🚀 Release v1.8: shop/cart', 'Sums', 'https://x.example/'])
    const deployment = { object_kind: 'deployment', status: 'failed', environment: 'production', project }
    expect(read(deployment, 'ru')).toEqual(['❌ Развёртывание в production не удалось: shop/cart'])
  })

  test('[GATEWAY-10.41] other events and actions, and drafts, are not written', () => {
    const silent = [
      changed('merge_request', 'update'),
      changed('merge_request', 'constructor'),
      changed('merge_request', 'open', { draft: true }),
      changed('note', 'create'),
      { object_kind: 'push' },
      {},
    ]
    expect(silent.map(json => read(json))).toEqual(silent.map(() => undefined))
  })

  test('[GATEWAY-10.41] a pipeline is read as in `pipeline`, with its memory, and a deployment is fixed after a failure', () => {
    const pipeline = bodyOf({ object_kind: 'pipeline', object_attributes: { status: 'failed' } })
    expect(formatOf('gitlab', pipeline).storageKey).toBe('run')
    expect(formatOf('gitlab', pipeline).proof).toBe(formats.gitlab.proof)
    const deployed = (status: string) =>
      formats.gitlab.read(bodyOf({ object_kind: 'deployment', status, environment: 'e', project }), wordsIn.en)
    expect(deployed('success').plan(undefined, 0).kind).toBe('skip')
    const broken = formats.gitlab.kept({ becomes: 'failed' }, { message: MESSAGE, saidMs: 0, past: undefined })
    expect(deployed('success').plan(broken, 0)).toMatchObject({
      text: '✅ Deployment to e succeeded again: shop/cart',
      silent: true,
    })
  })
})

describe('sentry', () => {
  const read = (resource: string, json: Json, language: 'ru' | 'en' = 'en') =>
    readSentry(bodyOf(json, { 'sentry-hook-resource': resource }), wordsIn[language].sentry)
  const event = {
    title: 'ReferenceError: heck is not defined',
    culprit: 'app.views.index',
    tags: [['level', 'error'], ['environment', 'production'], 'x', null],
    web_url: 'https://sentry.io/issues/1/',
  }
  const alert = { action: 'triggered', data: { event, triggered_rule: 'New errors' } }
  const metric = (action: string) => ({
    action,
    data: { metric_alert: { id: '9' }, description_title: 'Errors', description_text: '42 in an hour', web_url: 'x' },
  })

  test('[GATEWAY-10.42] alerts about events, about metrics, and new issues', () => {
    const lines = ['🐞 ReferenceError: heck is not defined', 'app.views.index · production']
    expect(read('event_alert', alert, 'ru')?.text.split('\n')).toEqual([
      ...lines,
      'Правило: New errors',
      'https://sentry.io/issues/1/',
    ])
    expect(read('metric_alert', metric('critical'))?.text).toBe('🔴 Errors\n42 in an hour')
    const issue = { title: 'Oops', culprit: 'a.b', shortId: 'SHOP-1', project: { name: 'shop' } }
    expect(read('issue', { action: 'created', data: { issue } })?.text).toBe('🐞 Oops\na.b · shop\nSHOP-1')
    expect(read('issue', { action: 'ignored', data: { issue } })).toBeUndefined()
    expect(read('installation', {})).toBeUndefined()
    expect(readSentry(bodyOf(alert), wordsIn.en.sentry)?.text).toMatch(/^🐞 ReferenceError/)
  })

  test('[GATEWAY-10.42] a resolved metric replies to the newest message about it', () => {
    const kept = formats.sentry.kept({ becomes: 'alarm' }, { message: MESSAGE, saidMs: 0, past: undefined })
    const post = formats.sentry.read(bodyOf(metric('resolved'), { 'sentry-hook-resource': 'metric_alert' }), wordsIn.en)
    expect(post.plan(kept, 0)).toMatchObject({
      inReply: { to: MESSAGE },
      silent: true,
      text: '🟢 Errors\n42 in an hour',
    })
  })
})

test('[GATEWAY-10.40] bodies that are no objects are refused', () => {
  for (const name of ['github', 'gitlab', 'sentry'] as const)
    for (const json of [null, 5, 'x', []])
      expect(() =>
        formats[name].read(bodyOf(json, { 'x-github-event': 'push', 'sentry-hook-resource': 'issue' }), wordsIn.en),
      ).toThrow(CodedError)
})
