// Defines a hook format: how it reads a body, what it writes, and what it remembers for the next post.
import { hookLimits, type MessageId } from '@postern/protocol'
import { digest } from './digest.ts'
import type { PostFields } from './fields.ts'
import type { PostBody } from './post-body.ts'

/** `why` goes into the log. `inReply`: written so in place of `text` while that message is there. `becomes`: see `SubjectMemory`. */
export type FormatPlan<Becomes extends PostFields = PostFields> =
  | { kind: 'silent'; why: string }
  | { kind: 'write'; text: string; inReply?: { to: MessageId; text: string }; becomes?: Becomes }

export type Repeat = {
  /** How soon after its answer the same body is taken for a retry, when nobody knows whether the answer arrived. */
  withinMs: number
  /** Nobody means the same body twice, as of a run of a pipeline: its number and its state are in it. */
  isOneEvent: boolean
}

export type WrittenMessage<Kept> = { message: MessageId; saidMs: number; past: Kept | undefined }

/** What is remembered of each thing that posts are about: a group of alerts, a branch. */
export type SubjectMemory<News, Kept extends PostFields, Becomes extends PostFields, StorageKey extends string> = {
  /** The name under which it is stored: never rename. */
  storageKey: StorageKey
  bounds: { keptMs: number; keptMax: number }
  /** The thing that a post is about. What is in doubt about it is settled before more is said. */
  subject(news: News): string
  /** Whether a message that is in doubt, and makes this of the subject, says the same: a pair of senders shares it. */
  isSaid?(news: News, becomes: Becomes): boolean
  /** What is kept of the subject once its message is written; undefined: nothing any more. */
  kept(becomes: Becomes, written: WrittenMessage<Kept>): Kept | undefined
}

/** What one file in this folder says of its format. */
export type FormatRules<News, Kept extends PostFields, Becomes extends PostFields, StorageKey extends string> = {
  /** `X-Vcs-Token`, when it is sent, must be the secret of the hook. */
  comparesToken?: true
  /** Throws `bad-field` for what it cannot read. Undefined: nothing in it is news. */
  read(body: PostBody): News | undefined
  /** Without it a post is a repeat only within seconds. */
  repeat?(news: News): Repeat
  /** Pure: `past` is what was kept of the subject. */
  plan(news: News, past: Kept | undefined, nowMs: number): FormatPlan<Becomes>
  remember?: SubjectMemory<News, Kept, Becomes, StorageKey>
}

/** A body that was read, with what its format makes of it. */
export type ReadPost = {
  isNews: boolean
  repeat: Repeat
  /** A digest of what it is about. */
  subject?: string
  plan(past: PostFields | undefined, nowMs: number): FormatPlan
  isSaid(becomes: PostFields): boolean
}

/** A format as those see it who serve all formats alike. */
export type Format<StorageKey extends string = string> = {
  comparesToken: boolean
  storageKey: StorageKey | undefined
  bounds: { keptMs: number; keptMax: number } | undefined
  read(body: PostBody): ReadPost
  kept(becomes: PostFields, written: WrittenMessage<PostFields>): PostFields | undefined
}

const soon: Repeat = { withinMs: hookLimits.repeatWithinMs.text, isOneEvent: false }

const noNews: ReadPost = {
  isNews: false,
  repeat: soon,
  plan: () => ({ kind: 'silent', why: 'it is no news' }),
  isSaid: () => false,
}

/** What is stored under a format's key was put there by that format: only here it gets its type back. */
export function defineFormat<
  News,
  Kept extends PostFields,
  Becomes extends PostFields,
  const StorageKey extends string = never,
>(rules: FormatRules<News, Kept, Becomes, StorageKey>): Format<StorageKey> {
  const { remember } = rules
  return {
    comparesToken: rules.comparesToken ?? false,
    storageKey: remember?.storageKey,
    bounds: remember?.bounds,
    read: body => {
      const news = rules.read(body)
      if (news === undefined) return noNews
      return {
        isNews: true,
        repeat: rules.repeat?.(news) ?? soon,
        ...(remember && { subject: digest(remember.subject(news)) }),
        plan: (past, nowMs) => rules.plan(news, past as Kept | undefined, nowMs),
        isSaid: becomes => remember?.isSaid?.(news, becomes as Becomes) ?? false,
      }
    },
    kept: (becomes, written) => remember?.kept(becomes as Becomes, written as WrittenMessage<Kept>),
  }
}
