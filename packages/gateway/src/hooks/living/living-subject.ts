// The common steps of the living formats: reading a post, merging it into the state, and showing the state.
import type { HookFormat } from '@postern/bot-api'
import { isFields } from '../formats/fields.ts'
import type { HookText } from '../formats/format.ts'
import { type PostBody, readJson } from '../formats/post-body.ts'
import type { GatewayWords } from '../words/words.ts'
import { isFinished, mergeAlerts } from './alert-group.ts'
import type { LivingSubject } from './entry.ts'
import { isQuietRun, mergePipeline, readPipelinePost, showPipeline } from './pipeline-run.ts'
import { readAlertsPost } from './read-alerts.ts'
import { type ShowContext, showAlerts } from './show-alerts.ts'
import type { SubjectChange } from './subject-change.ts'

export type MergeAround = { nowMs: number; elapsedMs: number; words: GatewayWords; isQuiet: boolean }

export type LivingPost = {
  /** A digest of the group's key, or of the pipeline's number. */
  name: string
  merge(before: LivingSubject | undefined, around: MergeAround): SubjectChange<LivingSubject>
}

/** Undefined for a body without news. Throws `bad-field` for a wrong one. */
export function readLivingPost(format: HookFormat, body: PostBody, words: GatewayWords): LivingPost | undefined {
  const json = readJson(body)
  if (format === 'pipeline') {
    const run = isFields(json) ? readPipelinePost(json, words) : undefined
    return (
      run && {
        name: run.name,
        merge: (before, { elapsedMs }) => mergePipeline(ofKind(before, 'pipeline'), run, elapsedMs),
      }
    )
  }
  const group = readAlertsPost(json, format === 'grafana' ? 'grafana' : 'alerts', words)
  return { name: group.name, merge: (before, around) => mergeAlerts(ofKind(before, 'alerts'), group, around) }
}

const ofKind = <Kind extends LivingSubject['kind']>(
  subject: LivingSubject | undefined,
  kind: Kind,
): Extract<LivingSubject, { kind: Kind }> | undefined =>
  subject?.kind === kind ? (subject as Extract<LivingSubject, { kind: Kind }>) : undefined

export const isEnded = (subject: LivingSubject): boolean =>
  subject.kind === 'alerts' ? isFinished(subject) : !['running', 'waiting'].includes(subject.state)

export const showSubject = (subject: LivingSubject, around: ShowContext): HookText =>
  subject.kind === 'alerts' ? showAlerts(subject, around) : showPipeline(subject)

/** Whether its first message notifies nobody. */
export const isQuietStart = (subject: LivingSubject): boolean =>
  subject.kind === 'alerts' ? isFinished(subject) : isQuietRun(subject)
