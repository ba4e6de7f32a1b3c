// The people who are typing, in memory alone: each for seconds, or until that person's next message. A person whose text
// is shown while it is made is typing, too.
import { type AccountId, type ChatId, type Clock, clientLimits, type Timer } from '@postern/protocol'
import type { DraftPart } from '@postern/protocol/content'
import { type DraftText, joinDraft } from './draft-text.ts'

export type Typist = { chat: ChatId; account: AccountId }
/** `ended`: by a message, or because the time is over. `drafting`: the text of a draft has changed. */
export type TypingChange = Typist & ({ state: 'typing' | 'ended' } | { state: 'drafting'; draft: DraftText })
/** `ts`: of the newest sign of this person, typing or a message. Older signs come late and do not count. */
type Sign = Typist & { ts: number; endsMs: number; isTyping: boolean; draft?: DraftText | undefined }
type Received = Typist & { ts: number; ageMs: number; draft?: DraftPart | undefined }

const { typingShownMs, typingSentEveryMs, typingReadEveryMs, typistsMax } = clientLimits
const { draftShownMs, draftSentEveryMs, draftSentPerMemberMs, draftsPerChatMax } = clientLimits
const keyOf = ({ chat, account }: Typist): string => `${chat} ${account}`

export class Typists {
  readonly #clock: Clock
  /** In the order in which they began. Kept for as long as an older sign could still come. */
  readonly #signs = new Map<string, Sign>()
  readonly #listeners = new Set<(change: TypingChange) => void>()
  readonly #lastReadMs = new Map<string, number>()
  readonly #lastSentMs = new Map<ChatId, number>()
  readonly #lastDraftMs = new Map<ChatId, number>()
  /** The times of this account's newest messages. */
  readonly #saidTs = new Map<ChatId, number>()
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Those who type now, in the order in which they began. */
  now(): Typist[] {
    return [...this.#signs.values()].filter(sign => sign.isTyping).map(({ chat, account }) => ({ chat, account }))
  }

  /** Those that are shown in a chat, in the order in which they began. */
  drafts(chat: ChatId): { account: AccountId; draft: DraftText }[] {
    return [...this.#signs.values()]
      .flatMap(sign => (sign.chat === chat && sign.draft ? [{ account: sign.account, draft: sign.draft }] : []))
      .slice(0, draftsPerChatMax)
  }

  onChange(listener: (change: TypingChange) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Whether one more frame of this sender is opened now: a flood costs a map lookup each. */
  mayRead(from: string): boolean {
    return this.#isDue(this.#lastReadMs, from, typingReadEveryMs)
  }

  /** Whether it is time to send again that this account is typing. */
  maySend(chat: ChatId): boolean {
    return this.#isDue(this.#lastSentMs, chat, typingSentEveryMs)
  }

  /** Whether it is time to send the next part of a draft to a chat with this number of members. */
  maySendDraft(chat: ChatId, members: number): boolean {
    return this.#isDue(this.#lastDraftMs, chat, Math.max(draftSentEveryMs, members * draftSentPerMemberMs))
  }

  /** `ageMs`: how long ago it was sent, as far as this client knows; negative when the sender's clock is ahead. */
  typed({ chat, account, ts, ageMs, draft: part }: Received): void {
    const key = keyOf({ chat, account })
    const known = this.#signs.get(key)
    if (Math.abs(ageMs) >= typingShownMs || (known && known.ts >= ts)) return
    if (!known && this.#signs.size >= typistsMax) return
    const shown = known?.isTyping ? known : undefined
    const draft = part ? joinDraft(shown?.draft, part) : shown?.draft
    const shownMs = (part ? draftShownMs : typingShownMs) - Math.max(0, ageMs)
    const endsMs = Math.max(shown?.endsMs ?? 0, this.#clock.monotonicMs() + shownMs)
    this.#signs.set(key, { chat, account, ts, endsMs, isTyping: true, draft })
    if (!shown) this.#tell({ chat, account, state: 'typing' })
    if (part && draft) this.#tell({ chat, account, state: 'drafting', draft })
    this.#schedule()
  }

  /** A message of the person: it ends the typing, and a sign that was sent before it shows nothing any more. */
  spoke({ chat, account, ts }: Typist & { ts: number }): void {
    if (this.#signs.size === 0) return
    const key = keyOf({ chat, account })
    const known = this.#signs.get(key)
    if (!known || known.ts > ts) return
    const endsMs = this.#clock.monotonicMs() + 2 * typingShownMs
    this.#signs.set(key, { chat, account, ts, endsMs, isTyping: false })
    if (known.isTyping) this.#tell({ chat, account, state: 'ended' })
    this.#schedule()
  }

  /** A message of this account: the others show no typing any more, so the next one is sent immediately. */
  said(chat: ChatId, ts: number): void {
    this.#lastSentMs.delete(chat)
    this.#lastDraftMs.delete(chat)
    if (this.#saidTs.size >= typistsMax) this.#saidTs.clear()
    this.#saidTs.set(chat, ts)
  }

  /** A time for typing in the chat: after this account's last message, which the relay has dated by its own clock. */
  tsAfterSaid(chat: ChatId, nowMs: number): number {
    return Math.max(nowMs, (this.#saidTs.get(chat) ?? 0) + 1)
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #isDue<Key>(last: Map<Key, number>, key: Key, everyMs: number): boolean {
    const nowMs = this.#clock.monotonicMs()
    const lastMs = last.get(key)
    if (lastMs !== undefined && nowMs - lastMs < everyMs) return false
    if (last.size >= typistsMax) for (const [old, ms] of last) if (nowMs - ms >= everyMs) last.delete(old)
    if (last.size >= typistsMax) return false
    last.set(key, nowMs)
    return true
  }

  #schedule(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#signs.size === 0) return
    const nextMs = Math.min(...[...this.#signs.values()].map(({ endsMs }) => endsMs))
    this.#timer = this.#clock.setTimer(Math.max(0, nextMs - this.#clock.monotonicMs()), () => this.#expire())
  }

  #expire(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [key, sign] of this.#signs) {
      if (sign.endsMs > nowMs) continue
      // Remembered a while longer: the relay could deliver the same frame again.
      if (sign.isTyping)
        this.#signs.set(key, { ...sign, draft: undefined, endsMs: nowMs + typingShownMs, isTyping: false })
      else this.#signs.delete(key)
      if (sign.isTyping) this.#tell({ chat: sign.chat, account: sign.account, state: 'ended' })
    }
    this.#schedule()
  }

  #tell(change: TypingChange): void {
    for (const listener of this.#listeners) listener(change)
  }
}
