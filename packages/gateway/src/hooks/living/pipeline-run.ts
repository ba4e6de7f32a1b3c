// The state of one pipeline, from running to finished, and the message that shows it.
import { hookLimits } from '@postern/protocol'
import { digest } from '../formats/digest.ts'
import { fieldsOf, type PostFields } from '../formats/fields.ts'
import type { HookText } from '../formats/format.ts'
import { aboutRun, projectNameOf } from '../formats/pipeline.ts'
import { oneLine } from '../texts/clean.ts'
import { fitLines } from '../texts/fit-lines.ts'
import type { GatewayWords } from '../words/words.ts'
import type { Reply, SubjectChange } from './subject-change.ts'

export type RunState = 'running' | 'waiting' | 'failed' | 'canceled' | 'success'

export type PipelineSubject = {
  kind: 'pipeline'
  state: RunState
  title: string
  text: string
  /** The sender's time, 0 if it gives none. */
  finishedMs: number
  /** Elapsed time of its last change. */
  learnedMs: number
}

export type PipelinePost = Omit<PipelineSubject, 'kind' | 'learnedMs'> & { name: string }

const states: Readonly<Record<string, RunState>> = {
  created: 'running',
  waiting_for_resource: 'running',
  preparing: 'running',
  pending: 'running',
  running: 'running',
  canceling: 'running',
  manual: 'waiting',
  failed: 'failed',
  canceled: 'canceled',
  cancelled: 'canceled',
  success: 'success',
}

/** Undefined for events without news, and for a run without a number: nothing would tell it from the next one. */
export function readPipelinePost(json: PostFields, words: GatewayWords): PipelinePost | undefined {
  const run = fieldsOf(json['object_attributes'])
  const { id } = run
  const status = oneLine(run['status'])
  const state = Object.hasOwn(states, status) ? states[status] : undefined
  if (json['object_kind'] !== 'pipeline' || !state || !Number.isSafeInteger(id)) return undefined
  const project = projectNameOf(json, words.pipeline)
  const title = words.living.pipeline[state](project)
  const { id: projectId } = fieldsOf(json['project'])
  const finished = typeof run['finished_at'] === 'string' ? Date.parse(run['finished_at']) : Number.NaN
  return {
    name: digest(JSON.stringify([Number.isSafeInteger(projectId) ? projectId : project, id])),
    state,
    title: fitLines([{ text: title }]),
    text: fitLines([{ text: title }, ...aboutRun(json, words.pipeline, { isFailed: state === 'failed' })]),
    finishedMs: finished > 0 ? finished : 0,
  }
}

const isEnd = (state: RunState): boolean => state !== 'running' && state !== 'waiting'

export function mergePipeline(
  before: PipelineSubject | undefined,
  { state, title, text, finishedMs }: PipelinePost,
  elapsedMs: number,
): SubjectChange<PipelineSubject> {
  const subject: PipelineSubject = { kind: 'pipeline', state, title, text, finishedMs, learnedMs: elapsedMs }
  if (!before) return { subject, isChanged: true, isNewRound: false, replies: [] }
  if (!isNews(before, subject)) return { subject: before, isChanged: false, isNewRound: false, replies: [] }
  return { subject, isChanged: true, isNewRound: false, replies: repliesOf(before, subject) }
}

function isNews(before: PipelineSubject, after: PipelineSubject): boolean {
  if (before.state === after.state && before.text === after.text) return false
  if (!isEnd(before.state)) return true
  // A job may be run again. Soon after the end, a report that the pipeline runs is one that comes late.
  if (!isEnd(after.state)) return after.learnedMs - before.learnedMs >= hookLimits.living.lateWithinMs
  return after.finishedMs >= before.finishedMs
}

function repliesOf(before: PipelineSubject, { state, title }: PipelineSubject): Reply[] {
  if (state === before.state) return []
  if (state === 'failed') return [{ text: title, silent: false }]
  return state === 'success' && before.state === 'failed' ? [{ text: title, silent: true }] : []
}

export const showPipeline = ({ text }: PipelineSubject): HookText => ({ text, buttons: [] })

/** Only a message that says it failed notifies people. */
export const isQuietRun = ({ state }: PipelineSubject): boolean => state !== 'failed'
