// The stored entry of a living message: the state that it shows, the part that the relay has, and waiting replies.
import { randomUUID } from 'node:crypto'
import { type ChatId, hookLimits, type MessageId } from '@postern/protocol'
import type { AlertsSubject } from './alert-group.ts'
import type { PipelineSubject } from './pipeline-run.ts'
import type { Reply, SubjectChange } from './subject-change.ts'

export type LivingSubject = AlertsSubject | PipelineSubject

export type LivingEntry = {
  /** In the names under which its messages are sent. */
  id: string
  hook: string
  /** A digest of the group's key. */
  name: string
  chat: ChatId
  /** Rises with each new message. */
  no: number
  /** Absent until the relay has the message `no`. */
  message?: MessageId
  /** Rises with each change that the message should show. `shownRev`: the one that the relay has. */
  rev: number
  shownRev: number
  /** Elapsed time of the last change. */
  updatedMs: number
  replies: (Reply & { seq: number })[]
  seq: number
  /** The journal's number of the last press that was acted on. */
  lastPress?: number
  subject: LivingSubject
}

type EntryPlace = Pick<LivingEntry, 'hook' | 'name' | 'chat'>

export const newEntry = (of: EntryPlace, subject: LivingSubject, nowMs: number): LivingEntry => ({
  id: randomUUID(),
  ...of,
  no: 1,
  rev: 1,
  shownRev: 0,
  updatedMs: nowMs,
  replies: [],
  seq: 0,
  subject,
})

/** The same entry when nothing changed. */
export function changedEntry(entry: LivingEntry, change: SubjectChange<LivingSubject>, nowMs: number): LivingEntry {
  const { subject, isChanged, isNewRound, replies } = change
  if (!isChanged && replies.length === 0) return entry
  const next = { ...entry, subject, updatedMs: nowMs, rev: entry.rev + (isChanged ? 1 : 0) }
  return isNewRound ? withNewMessage(next) : withReplies(next, replies)
}

/** Shows the same in a new message: the last one is finished, or gone. */
export function withNewMessage(last: LivingEntry): LivingEntry {
  const { message: _, ...entry } = last
  return { ...entry, no: entry.no + 1, rev: entry.rev + 1, replies: [] }
}

function withReplies(entry: LivingEntry, replies: readonly Reply[]): LivingEntry {
  if (replies.length === 0) return entry
  const added = replies.map((reply, at) => ({ ...reply, seq: entry.seq + at + 1 }))
  // While the relay is away the newest replies say enough.
  const waiting = [...entry.replies, ...added].slice(-hookLimits.living.repliesWaitingMax)
  return { ...entry, replies: waiting, seq: entry.seq + replies.length }
}

export const isShown = ({ message, rev, shownRev, replies }: LivingEntry): boolean =>
  message !== undefined && rev === shownRev && replies.length === 0
