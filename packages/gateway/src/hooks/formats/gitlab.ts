// The format `gitlab`: events of a project's webhook. Those of pipelines are read by `pipeline`.
import { hookLimits } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import type { GatewayWords } from '../words/words.ts'
import { digest } from './digest.ts'
import { type EventText, eventText, firstOf, inBrackets, objectBody } from './event-text.ts'
import { fieldsOf, type PostFields } from './fields.ts'
import { defineFormat, type FormatPlan, oneEvent } from './format.ts'
import { isPipelineEvent } from './pipeline.ts'
import { readJson } from './post-body.ts'
import { tokenIn } from './proofs.ts'

type Words = GatewayWords['gitlab']

/** `place`: project and environment of a deployment that has ended. */
export type GitlabEvent = { text: string; place?: string; outcome?: 'failed' | 'success' }

type Kept = { failed: true }
type Becomes = { becomes: 'failed' | 'mended' }

export const gitlab = defineFormat({
  proof: tokenIn('X-Gitlab-Token'),
  // Events that were caused by the answer to another one have its UUID, so the body belongs to the name.
  delivery: ({ headers = {}, bytes = '' }) => {
    const { 'x-gitlab-event-uuid': event } = headers
    return event && `${event} ${digest(bytes)}`
  },
  resolve: body => (isPipelineEvent(readJson(body)) ? 'pipeline' : 'gitlab'),
  read: (body, words) => readGitlab(readJson(body), words.gitlab),
  repeat: () => oneEvent,
  plan: planGitlab,
  remember: {
    storageKey: 'deployment',
    bounds: hookLimits.runs,
    subject: ({ place = '' }) => place,
    kept: ({ becomes }: Becomes): Kept | undefined => (becomes === 'failed' ? { failed: true } : undefined),
  },
})

function planGitlab({ text, outcome }: GitlabEvent, broken: Kept | undefined): FormatPlan<Becomes> {
  if (outcome === undefined) return { kind: 'write', text }
  switch (outcome) {
    case 'failed':
      return { kind: 'write', text, becomes: { becomes: 'failed' } }
    case 'success':
      if (!broken) return { kind: 'skip', why: 'a success is told only after a failure' }
      return { kind: 'write', text, becomes: { becomes: 'mended' }, silent: true }
  }
}

/** Undefined for events that are not written. */
export function readGitlab(json: unknown, words: Words): GitlabEvent | undefined {
  const body = objectBody(json)
  switch (body['object_kind']) {
    case 'merge_request':
      return told(changed(body, words.mergeRequest))
    case 'issue':
      return told(changed(body, words.issue))
    case 'tag_push':
      return told(tag(body, words))
    case 'release':
      return told(release(body, words))
    case 'deployment':
      return readDeployment(body, words)
    default:
      return undefined
  }
}

const told = (event: EventText | undefined): GitlabEvent | undefined => event && { text: eventText(event) }

const projectOf = ({ project }: PostFields, words: Pick<Words, 'unnamed'>): string =>
  firstOf(fieldsOf(project)['path_with_namespace'], fieldsOf(project)['name']) || words.unnamed

type ActionWords = Readonly<Record<string, (number: string) => string>>

/** A merge request or an issue, by its last change. */
function changed(body: PostFields, actions: ActionWords): EventText | undefined {
  const { iid, title, action, url, draft, work_in_progress: early } = fieldsOf(body['object_attributes'])
  const start = typeof action === 'string' && Object.hasOwn(actions, action) ? actions[action] : undefined
  if (!start || (action === 'open' && (draft === true || early === true))) return undefined
  const { name, username } = fieldsOf(body['user'])
  const text = `${start(oneLine(iid))}: ${oneLine(title)}${inBrackets(firstOf(name, username))}`
  const { path_with_namespace: path, name: project } = fieldsOf(body['project'])
  return { title: { text }, about: [firstOf(path, project)], link: url }
}

/** A tag that is removed leads to zeros. */
function tag(body: PostFields, words: Words): EventText | undefined {
  const name = oneLine(body['ref']).replace(/^refs\/tags\//, '')
  const isRemoved = typeof body['after'] === 'string' && /^0+$/.test(body['after'])
  if (name === '' || isRemoved) return undefined
  const author = inBrackets(firstOf(body['user_name'], body['user_username']))
  return {
    title: { text: `${words.tag(name, projectOf(body, words))}${author}` },
    link: fieldsOf(body['project'])['web_url'],
  }
}

function release(body: PostFields, words: Words): EventText | undefined {
  if (body['action'] !== 'create') return undefined
  const { tag: version, name, url } = body
  const title = oneLine(name)
  const text = words.release(firstOf(version, name), projectOf(body, words))
  return { title: { text }, about: [title === oneLine(version) ? '' : title], link: url }
}

function readDeployment(body: PostFields, words: Words): GitlabEvent | undefined {
  const { status, environment, deployable_url: link, commit_title: commit, user } = body
  if (status !== 'failed' && status !== 'success') return undefined
  const where = { environment: oneLine(environment), project: projectOf(body, words) }
  const text = status === 'failed' ? words.deploymentFailed(where) : words.deploymentFixed(where)
  const author = inBrackets(firstOf(fieldsOf(user)['name'], fieldsOf(user)['username']))
  const about = oneLine(commit) === '' ? [] : [`${oneLine(commit)}${author}`]
  const { id, path_with_namespace: path } = fieldsOf(body['project'])
  const place = JSON.stringify(
    [id ?? path, environment].map(part => (typeof part === 'object' ? null : (part ?? null))),
  )
  return { text: eventText({ title: { text }, about, link }), place, outcome: status }
}
