// Defines a hook format: how it reads a body, what it writes, and what it remembers for the next post.
import { hookLimits, type MessageId } from '@postern/protocol'
import { digest } from './digest.ts'
import type { PostFields } from './fields.ts'
import type { PostBody } from './post-body.ts'

/** `why` goes into the log. `inReply`: replaces `text` while that message exists. `becomes`: see `SubjectMemory`. */
export type FormatPlan<Becomes extends PostFields = PostFields> =
  | { kind: 'silent'; why: string }
  | { kind: 'write'; text: string; inReply?: { to: MessageId; text: string }; becomes?: Becomes }

export type Repeat = {
  /** How soon after its answer the same body counts as a retry, if it is unknown whether the answer arrived. */
  withinMs: number
  /** The same body is never a new event, as for a run of a pipeline: its number and its state are in it. */
  isOneEvent: boolean
}

export type WrittenMessage<Kept> = { message: MessageId; saidMs: number; past: Kept | undefined }

/** The memory of each subject of posts: a group of alerts, a branch. */
export type SubjectMemory<News, Kept extends PostFields, Becomes extends PostFields, StorageKey extends string> = {
  /** The name under which it is stored: never rename. */
  storageKey: StorageKey
  bounds: { keptMs: number; keptMax: number }
  /** The subject of a post. Doubt about it is settled before anything more is sent. */
  subject(news: News): string
  /** Whether a message in doubt that leads to this state says the same: a pair of senders shares it. */
  isSaid?(news: News, becomes: Becomes): boolean
  /** The state of the subject once its message is sent; undefined removes it. */
  kept(becomes: Becomes, written: WrittenMessage<Kept>): Kept | undefined
}

/** The rules that each file in this folder defines for its format. */
export type FormatRules<News, Kept extends PostFields, Becomes extends PostFields, StorageKey extends string> = {
  /** `X-Vcs-Token`, if present, must be the secret of the hook. */
  comparesToken?: true
  /** Throws `bad-field` for an invalid body. Undefined if the body contains no news. */
  read(body: PostBody): News | undefined
  /** Without it a post is a repeat only within seconds. */
  repeat?(news: News): Repeat
  /** Pure: `past` is the stored state of the subject. */
  plan(news: News, past: Kept | undefined, nowMs: number): FormatPlan<Becomes>
  remember?: SubjectMemory<News, Kept, Becomes, StorageKey>
}

/** A parsed body, with the rules of its format applied. */
export type ReadPost = {
  isNews: boolean
  repeat: Repeat
  /** A digest of its subject. */
  subject?: string
  plan(past: PostFields | undefined, nowMs: number): FormatPlan
  isSaid(becomes: PostFields): boolean
}

/** A format as seen by code that serves all formats alike. */
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

/** Only the format itself stores values under its key, so this is the one place that restores their type. */
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
