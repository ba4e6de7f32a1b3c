// The format `pipeline`: turns a pipeline event of a source-hosting system into a message.
import { CodedError, hookLimits } from '@postern/protocol'
import { oneLine, webAddress } from '../texts/clean.ts'
import { fitLines, type TextLine } from '../texts/fit-lines.ts'
import type { GatewayWords } from '../words/words.ts'
import { fieldsOf, isFields, listOf, type PostFields } from './fields.ts'
import { defineFormat, type FormatPlan } from './format.ts'
import { readJson } from './post-body.ts'

type PipelineWords = GatewayWords['pipeline']

export type PipelineRun = {
  outcome: 'failed' | 'canceled' | 'success'
  /** Rises from run to run; undefined if the sender does not report it. */
  number: number | undefined
  /** Project and branch, tag or merge request: a success of one does not fix another. */
  line: string
  text: string
}

/** A branch whose pipeline is broken, and the run that broke it. */
type Kept = { failed: number | null }
type Becomes = { becomes: 'failed'; number: number | null } | { becomes: 'mended' }

export const pipeline = defineFormat({
  comparesToken: true,
  read: (body, words) => readPipeline(readJson(body), words.pipeline),
  repeat: ({ number }) => {
    const isOneEvent = number !== undefined
    return { withinMs: hookLimits.repeatWithinMs[isOneEvent ? 'run' : 'text'], isOneEvent }
  },
  plan: planPipeline,
  remember: {
    storageKey: 'run',
    bounds: hookLimits.runs,
    subject: ({ line }) => line,
    kept: (about: Becomes): Kept | undefined => (about.becomes === 'failed' ? { failed: about.number } : undefined),
  },
})

/** A canceled run says nothing about the branch, and a run from before the failure does not fix it. */
function planPipeline({ outcome, number, text }: PipelineRun, broken: Kept | undefined): FormatPlan<Becomes> {
  switch (outcome) {
    case 'failed':
      return { kind: 'write', text, becomes: { becomes: 'failed', number: number ?? null } }
    case 'canceled':
      return { kind: 'write', text }
    case 'success':
      if (!broken) return { kind: 'skip', why: 'a success is told only after a failure' }
      if (number !== undefined && number < (broken.failed ?? number))
        return { kind: 'skip', why: 'the run is from before the failure' }
      return { kind: 'write', text, becomes: { becomes: 'mended' }, silent: true }
  }
}

const SHA_CHARS = 8

const outcomes: Readonly<Record<string, PipelineRun['outcome']>> = {
  failed: 'failed',
  canceled: 'canceled',
  cancelled: 'canceled',
  success: 'success',
}

export const isPipelineEvent = (body: unknown): boolean => isFields(body) && body['object_kind'] === 'pipeline'

/** Undefined for events without news: another kind of event, or a run that has not ended. */
export function readPipeline(body: unknown, words: PipelineWords): PipelineRun | undefined {
  if (!isFields(body)) throw new CodedError('bad-field', { field: 'body', rule: 'must be a JSON object' })
  if (body['object_kind'] !== 'pipeline') return undefined
  const run = fieldsOf(body['object_attributes'])
  const status = oneLine(run['status'])
  const outcome = Object.hasOwn(outcomes, status) ? outcomes[status] : undefined
  if (!outcome) return undefined
  const number = Number.isSafeInteger(run['id']) ? Number(run['id']) : undefined
  return { outcome, number, line: lineOf(body), text: textOf(body, outcome, words) }
}

/** Texts of any length: two long names that differ only at their end must not count as one. */
function lineOf(body: PostFields): string {
  const { id, path_with_namespace: path, web_url: address, name } = fieldsOf(body['project'])
  const { ref, tag } = fieldsOf(body['object_attributes'])
  const { iid } = fieldsOf(body['merge_request'])
  const place = isPlain(iid) ? ['request', iid] : [tag === true ? 'tag' : 'branch', ref]
  return JSON.stringify([id ?? path ?? address ?? name, ...place].map(part => (isPlain(part) ? part : null)))
}

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'

const textOf = (body: PostFields, outcome: PipelineRun['outcome'], words: PipelineWords): string =>
  fitLines([titleOf(body, outcome, words), ...aboutRun(body, words, { isFailed: outcome === 'failed' })])

/** The lines below the title. */
export function aboutRun(body: PostFields, words: PipelineWords, { isFailed }: { isFailed: boolean }): TextLine[] {
  const lines = [...placeTexts(body, words), commitText(body, words), authorText(body, words)]
  if (isFailed) lines.push(jobsText(body, words))
  const shown: TextLine[] = [...lines.map(text => ({ text })), { text: linkOf(body), isWhole: true }]
  return shown.filter(({ text }) => text !== '')
}

export function projectNameOf({ project }: PostFields, words: PipelineWords): string {
  const { path_with_namespace: path, name } = fieldsOf(project)
  return oneLine(path) || oneLine(name) || words.unnamed
}

function titleOf(body: PostFields, outcome: PipelineRun['outcome'], words: PipelineWords): TextLine {
  const shown = projectNameOf(body, words)
  switch (outcome) {
    case 'failed':
      return words.failed(shown)
    case 'canceled':
      return words.canceled(shown)
    case 'success':
      return words.fixed(shown)
  }
}

function placeTexts(body: PostFields, words: PipelineWords): string[] {
  const run = fieldsOf(body['object_attributes'])
  const ref = oneLine(run['ref'])
  const request = fieldsOf(body['merge_request'])
  const iid = oneLine(request['iid'])
  if (iid === '') return ref === '' ? [] : [run['tag'] === true ? words.tag(ref) : words.branch(ref)]
  const source = oneLine(request['source_branch']) || ref
  const branches = [source, oneLine(request['target_branch'])].filter(name => name !== '').join(' → ')
  const shown = words.mergeRequest(iid, oneLine(request['title']))
  return [shown, ...(branches ? [words.branch(branches)] : [])]
}

function commitText(body: PostFields, words: PipelineWords): string {
  const { id, title, message } = fieldsOf(body['commit'])
  const full = oneLine(id) || oneLine(fieldsOf(body['object_attributes'])['sha'])
  const subject = oneLine(title) || oneLine(firstLine(message))
  const commit = [[...full].slice(0, SHA_CHARS).join(''), subject].filter(word => word !== '').join(' ')
  return commit === '' ? '' : words.commit(commit)
}

const firstLine = (text: unknown): unknown =>
  typeof text === 'string' ? text.trimStart().split('\n', 1)[0] : undefined

function authorText({ commit, user }: PostFields, words: PipelineWords): string {
  const author = fieldsOf(fieldsOf(commit)['author'])
  const { name, username } = fieldsOf(user)
  const names = [author['name'], name, username, author['email']].map(oneLine)
  const known = names.find(word => word !== '')
  return known === undefined ? '' : words.author(known)
}

/** A job that is allowed to fail did not fail the pipeline. */
function jobsText({ builds }: PostFields, words: PipelineWords): string {
  const failed = listOf(builds).filter(job => job['status'] === 'failed' && job['allow_failure'] !== true)
  const names = [...new Set(failed.map(job => oneLine(job['name'])))].filter(name => name !== '')
  return names.length === 0 ? '' : words.failedJobs(names)
}

function linkOf(body: PostFields): string {
  const { url, id } = fieldsOf(body['object_attributes'])
  const own = webAddress(url, hookLimits.addressCharsMax)
  const home = webAddress(fieldsOf(body['project'])['web_url'], hookLimits.addressCharsMax)
  if (own !== '' || home === '' || !Number.isSafeInteger(id)) return own
  return `${home.replace(/\/+$/, '')}/-/pipelines/${Number(id)}`
}
