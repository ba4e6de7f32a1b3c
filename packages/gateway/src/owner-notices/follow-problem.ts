// The states of a problem from one look to the next. Pure, so that they are stored before anything is sent.
import { type AccountId, ownerNoticeLimits } from '@postern/protocol'
import type { NoticeText, OwnerWords } from '../hooks/words/russian-owners.ts'
import { type ProblemFinding, type ProblemName, problems } from './problems.ts'

/** `held`: not for long enough yet. `calm`: the owners know of it, and it is absent since then. */
type FollowedSubject = { state: 'held' | 'told' | 'calm'; sinceMs: number; fact: string }

/** A message that is to be sent to each of these owners, under this id. */
export type OwnerNotice = { id: string; text: string; to: AccountId[] }

/** All times are elapsed ones, independent of the machine's clock. */
export type FollowedProblem = {
  subjects: Record<string, FollowedSubject>
  begunMs?: number
  overMs?: number
  notice?: OwnerNotice
}

export type ProblemLook = {
  name: ProblemName
  findings: readonly ProblemFinding[]
  nowMs: number
  owners: readonly AccountId[]
  words: OwnerWords
}

export function followProblem(before: FollowedProblem, look: ProblemLook): FollowedProblem {
  const after = { ...before, subjects: subjectsAfter(before, look) }
  // The next message waits until this one has reached everybody: an unreachable relay piles up nothing.
  if (before.notice) return after
  return beginning(after, look) ?? ending(after, look) ?? after
}

function subjectsAfter({ subjects }: FollowedProblem, { findings, nowMs }: ProblemLook): FollowedProblem['subjects'] {
  const found = new Map(findings.map(({ subject, fact }) => [subject, fact]))
  const kept = Object.entries(subjects).flatMap(([subject, known]): [string, FollowedSubject][] => {
    if (found.has(subject)) {
      const isBack = known.state === 'calm' && found.get(subject) !== undefined
      return [[subject, isBack ? { ...known, state: 'told' } : known]]
    }
    if (known.state === 'held') return []
    return [[subject, known.state === 'told' ? { ...known, state: 'calm', sinceMs: nowMs } : known]]
  })
  const fresh = findings
    .filter(({ subject }) => !Object.hasOwn(subjects, subject))
    .flatMap(({ subject, fact }): [string, FollowedSubject][] =>
      fact === undefined ? [] : [[subject, { state: 'held', sinceMs: nowMs, fact }]],
    )
  return Object.fromEntries([...kept, ...fresh])
}

/** One message about everything that has held for its time, at most one in an hour. */
function beginning(problem: FollowedProblem, look: ProblemLook): FollowedProblem | undefined {
  const { name, nowMs, words, findings } = look
  if (isTooSoon(problem.begunMs, nowMs)) return undefined
  const due = dueSubjects(problem, { state: 'held', forMs: problems[name].heldForMs, nowMs })
  if (due.length === 0) return undefined
  const facts = new Map(findings.map(({ subject, fact }) => [subject, fact]))
  const told = due.map(([subject, known]): [string, FollowedSubject] => [
    subject,
    { ...known, state: 'told', fact: facts.get(subject) ?? known.fact },
  ])
  const notice = noticeOf(look, { event: 'begun', text: words[name].begun, facts: told.map(([, { fact }]) => fact) })
  return { ...problem, subjects: { ...problem.subjects, ...Object.fromEntries(told) }, begunMs: nowMs, notice }
}

function ending(problem: FollowedProblem, look: ProblemLook): FollowedProblem | undefined {
  const { name, nowMs, words } = look
  if (isTooSoon(problem.overMs, nowMs)) return undefined
  const over = dueSubjects(problem, { state: 'calm', forMs: ownerNoticeLimits.overAfterMs, nowMs })
  if (over.length === 0) return undefined
  const leaving = new Set(over.map(([subject]) => subject))
  const subjects = Object.fromEntries(Object.entries(problem.subjects).filter(([subject]) => !leaving.has(subject)))
  // The facts of a problem that exists once are no longer true; those of several say which one is over.
  const facts = over.filter(([subject]) => subject !== '').map(([, { fact }]) => fact)
  const notice = noticeOf(look, { event: 'over', text: words[name].over, facts })
  return { ...problem, subjects, overMs: nowMs, notice }
}

const isTooSoon = (lastMs: number | undefined, nowMs: number): boolean =>
  lastMs !== undefined && nowMs - lastMs < ownerNoticeLimits.apartMs

type DueSubjects = { state: FollowedSubject['state']; forMs: number; nowMs: number }

const dueSubjects = ({ subjects }: FollowedProblem, { state, forMs, nowMs }: DueSubjects) =>
  Object.entries(subjects).filter(([, known]) => known.state === state && nowMs - known.sinceMs >= forMs)

type NoticeParts = { event: 'begun' | 'over'; text: NoticeText; facts: readonly string[] }

function noticeOf({ name, nowMs, owners, words }: ProblemLook, { event, text, facts }: NoticeParts): OwnerNotice {
  const { linesMax } = ownerNoticeLimits
  const more = facts.length - linesMax
  const lines = [
    text.title,
    ...facts.slice(0, linesMax),
    ...(more > 0 ? [words.more(more)] : []),
    ...(text.advice === undefined ? [] : [text.advice]),
  ]
  return { id: `${name}:${event}:${nowMs}`, text: lines.join('\n'), to: [...owners] }
}
