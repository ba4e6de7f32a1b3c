// Defines a hook format: how it reads a body, what it writes, and what it remembers for the next post.
import type { HookFormat } from '@postern/bot-api'
import { type CodedError, hookLimits, type MessageId, type TextEntity } from '@postern/protocol'
import type { Button } from '@postern/protocol/content'
import type { GatewayWords } from '../words/words.ts'
import { digest } from './digest.ts'
import type { PostFields } from './fields.ts'
import type { PostBody } from './post-body.ts'
import type { SenderProof } from './proofs.ts'

/** A message. Buttons only lead to addresses. */
export type HookText = { text: string; entities?: readonly TextEntity[]; buttons?: Button[][] }

/**
 * `why` goes into the log. `inReply`: replaces `text` while that message exists. `becomes`: see `SubjectMemory`.
 * `silent`: good news, for which nobody is woken.
 */
export type FormatPlan<Becomes extends PostFields = PostFields> =
  | { kind: 'skip'; why: string }
  | (HookText & { kind: 'write'; inReply?: { to: MessageId; text: string }; becomes?: Becomes; silent?: true })

/** For senders that read plain text instead of our JSON. A refusal is that of a wrong body. */
export type PlainAnswers = { done: string; refusal(error: CodedError): string }

/** Rules about the sender of a post. */
type SenderRules = {
  /** `X-Vcs-Token`, if present, must be the secret of the hook's address. */
  comparesToken?: true
  /** The header that proves the secret with which the hook was created, and whether it does. */
  proof?: SenderProof
  /** The sender's name for this delivery: the same one is not written again. */
  delivery?(body: PostBody): string | undefined
  answers?: PlainAnswers
  /** The format that reads this body instead. */
  resolve?(body: PostBody): HookFormat
}

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
export type FormatRules<
  News,
  Kept extends PostFields,
  Becomes extends PostFields,
  StorageKey extends string,
> = SenderRules & {
  /** Throws `bad-field` for an invalid body. Undefined if the body contains no news. `template`: the hook's own. */
  read(body: PostBody, words: GatewayWords, template: string): News | undefined
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
export type Format<StorageKey extends string = string> = Omit<SenderRules, 'comparesToken'> & {
  comparesToken: boolean
  storageKey: StorageKey | undefined
  bounds: { keptMs: number; keptMax: number } | undefined
  read(body: PostBody, words: GatewayWords, template?: string): ReadPost
  kept(becomes: PostFields, written: WrittenMessage<PostFields>): PostFields | undefined
}

const soon: Repeat = { withinMs: hookLimits.repeatWithinMs.text, isOneEvent: false }

/** For events: the same body within a minute is the same event, from any sender. */
export const oneEvent: Repeat = { withinMs: hookLimits.repeatWithinMs.event, isOneEvent: true }

const noNews: ReadPost = {
  isNews: false,
  repeat: soon,
  plan: () => ({ kind: 'skip', why: 'it is no news' }),
  isSaid: () => false,
}

/** Only the format itself stores values under its key, so this is the one place that restores their type. */
export function defineFormat<
  News,
  Kept extends PostFields,
  Becomes extends PostFields,
  const StorageKey extends string = never,
>(rules: FormatRules<News, Kept, Becomes, StorageKey>): Format<StorageKey> {
  const { remember, proof, delivery, answers, resolve } = rules
  return {
    ...(proof && { proof }),
    ...(delivery && { delivery }),
    ...(answers && { answers }),
    ...(resolve && { resolve }),
    comparesToken: rules.comparesToken ?? false,
    storageKey: remember?.storageKey,
    bounds: remember?.bounds,
    read: (body, words, template = '') => {
      const news = rules.read(body, words, template)
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
