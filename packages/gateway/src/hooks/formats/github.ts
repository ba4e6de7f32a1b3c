// The format `github`: events of a repository's webhook.
import { CodedError, hookLimits } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import type { TextLine } from '../texts/fit-lines.ts'
import type { GatewayWords } from '../words/words.ts'
import { commitLine, type EventText, eventText, firstOf, inBrackets, objectBody } from './event-text.ts'
import { fieldsOf, type PostFields } from './fields.ts'
import { defineFormat, type FormatPlan, oneEvent } from './format.ts'
import { type PostBody, readJsonOrForm } from './post-body.ts'
import { signatureIn } from './proofs.ts'

type Words = GatewayWords['github']

/** `line`: repository, workflow and branch, for a run that has ended. */
export type GithubEvent = { text: string; line?: string; outcome?: 'failed' | 'success'; number?: number | undefined }

/** A workflow that fails on a branch, and the run that failed first. */
type Kept = { failed: number | null }
type Becomes = { becomes: 'failed'; number: number | null } | { becomes: 'mended' }

export const github = defineFormat({
  proof: signatureIn('X-Hub-Signature-256', { prefix: 'sha256=' }),
  delivery: ({ headers = {} }) => headers['x-github-delivery'],
  read: (body, words) => readGithub(body, words.github),
  repeat: () => oneEvent,
  plan: planGithub,
  remember: {
    storageKey: 'workflow',
    bounds: hookLimits.runs,
    subject: ({ line = '' }) => line,
    kept: (about: Becomes): Kept | undefined => (about.becomes === 'failed' ? { failed: about.number } : undefined),
  },
})

/** A success is written only if it ends a failure. */
function planGithub({ text, outcome, number }: GithubEvent, broken: Kept | undefined): FormatPlan<Becomes> {
  if (outcome === undefined) return { kind: 'write', text }
  switch (outcome) {
    case 'failed':
      return { kind: 'write', text, becomes: { becomes: 'failed', number: number ?? null } }
    case 'success':
      if (!broken) return { kind: 'skip', why: 'a success is told only after a failure' }
      if (number !== undefined && number < (broken.failed ?? number))
        return { kind: 'skip', why: 'the run is from before the failure' }
      return { kind: 'write', text, becomes: { becomes: 'mended' }, silent: true }
  }
}

const readers: Readonly<Record<string, (body: PostFields, words: Words) => GithubEvent | undefined>> = {
  workflow_run: readRun,
  pull_request: (body, words) => told(pullRequest(body, words)),
  issues: (body, words) => told(issue(body, words)),
  release: (body, words) => told(release(body, words)),
  deployment_status: (body, words) => told(deployment(body, words)),
}

/** Undefined for events that are not written. */
export function readGithub(body: PostBody, words: Words): GithubEvent | undefined {
  const event = body.headers?.['x-github-event']
  if (!event) throw new CodedError('bad-field', { field: 'X-GitHub-Event', rule: 'must name the event' })
  const json = objectBody(readJsonOrForm(body, 'payload'))
  return Object.hasOwn(readers, event) ? readers[event]?.(json, words) : undefined
}

const told = (event: EventText | undefined): GithubEvent | undefined => event && { text: eventText(event) }

const repositoryOf = ({ repository }: PostFields, words: Words): string =>
  firstOf(fieldsOf(repository)['full_name'], fieldsOf(repository)['name']) || words.unnamed

const failures = new Set<unknown>(['failure', 'timed_out', 'startup_failure'])

function readRun(body: PostFields, words: Words): GithubEvent | undefined {
  if (body['action'] !== 'completed') return undefined
  const run = fieldsOf(body['workflow_run'])
  const title = runTitle(run['conclusion'], {
    name: firstOf(run['name']) || words.workflow,
    where: repositoryOf(body, words),
  })(words)
  if (!title) return undefined
  const { number, text } = { number: numberOf(run['run_number']), text: eventText(runText(run, title, words)) }
  const { full_name: head } = fieldsOf(run['head_repository'])
  const { full_name: repository } = fieldsOf(body['repository'])
  const line = JSON.stringify([repository, run['workflow_id'] ?? run['name'], head, run['head_branch']].map(plain))
  const { conclusion } = run
  if (conclusion !== 'success' && !failures.has(conclusion)) return { text, line }
  return { text, line, outcome: conclusion === 'success' ? 'success' : 'failed', number }
}

const plain = (value: unknown): unknown => (typeof value === 'string' || typeof value === 'number' ? value : null)
const numberOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

const runTitle =
  (conclusion: unknown, run: { name: string; where: string }) =>
  ({ failed, canceled, waits, fixed }: Words): TextLine | undefined => {
    if (failures.has(conclusion)) return failed(run)
    if (conclusion === 'cancelled') return canceled(run)
    if (conclusion === 'action_required') return waits(run)
    return conclusion === 'success' ? fixed(run) : undefined
  }

function runText(run: PostFields, title: TextLine, words: Words): EventText {
  const commit = fieldsOf(run['head_commit'])
  const author = firstOf(fieldsOf(commit['author'])['name'], fieldsOf(run['actor'])['login'])
  const shown = commitLine({ sha: run['head_sha'], message: commit['message'] ?? run['display_title'], author })
  const branch = oneLine(run['head_branch'])
  return {
    title,
    about: [branch && words.branch(branch, oneLine(run['run_number'])), shown && words.commit(shown)],
    link: run['html_url'],
  }
}

function pullRequest(body: PostFields, words: Words): EventText | undefined {
  const request = fieldsOf(body['pull_request'])
  const { action } = body
  // It is reported once it is ready.
  if (request['draft'] === true && action !== 'closed') return undefined
  const number = firstOf(request['number'], body['number'])
  const tail = `: ${oneLine(request['title'])}${inBrackets(oneLine(fieldsOf(request['user'])['login']))}`
  const state = action === 'closed' && request['merged'] === true ? 'merged' : action
  const title = typeof state === 'string' && Object.hasOwn(words.pullRequest, state) ? state : undefined
  if (!title) return undefined
  const start = words.pullRequest[title as keyof Words['pullRequest']](number)
  return {
    title: { text: start + tail },
    about: [words.repository(repositoryOf(body, words))],
    link: request['html_url'],
  }
}

function issue(body: PostFields, words: Words): EventText | undefined {
  if (body['action'] !== 'opened') return undefined
  const { number, title, user, html_url: link } = fieldsOf(body['issue'])
  const author = inBrackets(oneLine(fieldsOf(user)['login']))
  const text = `${words.issue(oneLine(number))}: ${oneLine(title)}${author}`
  return { title: { text }, about: [words.repository(repositoryOf(body, words))], link }
}

function release(body: PostFields, words: Words): EventText | undefined {
  if (body['action'] !== 'published') return undefined
  const { tag_name: tag, name, html_url: link } = fieldsOf(body['release'])
  const title = oneLine(name)
  const shown = words.release(firstOf(tag, name), repositoryOf(body, words))
  return { title: { text: shown }, about: [title === oneLine(tag) ? '' : title], link }
}

function deployment(body: PostFields, words: Words): EventText | undefined {
  const { state, environment, description, target_url: target, log_url: log } = fieldsOf(body['deployment_status'])
  if (state !== 'failure' && state !== 'error') return undefined
  const place = firstOf(environment, fieldsOf(body['deployment'])['environment'])
  const title = { text: words.deploymentFailed(place, repositoryOf(body, words)) }
  return { title, about: [oneLine(description)], link: firstOf(log, target) }
}
