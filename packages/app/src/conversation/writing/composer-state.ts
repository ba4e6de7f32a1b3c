// The content of the field: a new message, a reply, or the edit of an old one.
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { ChatDetail, Draft, EntityView, MentionView, Message } from '../../contract/objects.ts'
import { charsLeft } from '../../i18n/chars-left.ts'
import { readTyped, type SaidWords, typedOf } from './formatting.ts'
import { mentionsIn } from './mentions.ts'

type ComposedWords = { text: string; mentions: MentionView[]; entities?: EntityView[] }

export type ComposerSubmission =
  | (ComposedWords & { kind: 'send'; replyTo?: Message })
  | (ComposedWords & { kind: 'edit'; message: Message })

type Purpose = { kind: 'none' } | { kind: 'reply'; to: Message } | { kind: 'edit'; message: Message; before: string }

export class ComposerState {
  readonly text = signal('')
  readonly about = signal<Purpose>({ kind: 'none' })
  /** The number of characters left; undefined while there are plenty. */
  readonly charsLeft: ReadonlySignal<number | undefined> = computed(() => charsLeft(this.text.value))
  readonly canSubmit: ReadonlySignal<boolean> = computed(
    () => this.text.value.trim() !== '' && (this.charsLeft.value ?? 0) >= 0,
  )
  /** Increases whenever the field should have the focus. */
  readonly wantsFocus = signal(0)
  /** Members that were chosen from the list, by name. */
  readonly #picked = new Map<string, string>()

  /** A draft that replies names its message, which is known once the window is there. */
  constructor(draft?: Draft, messages?: ReadonlySignal<ReadonlyMap<string, Message>>) {
    this.text.value = draft?.text ?? ''
    const replyTo = draft?.reply_to
    if (replyTo === undefined || !messages) return
    let isOver = false
    messages.subscribe(known => {
      if (isOver || known.size === 0) return
      isOver = true
      const to = known.get(replyTo)
      if (to && this.about.peek().kind === 'none') this.about.value = { kind: 'reply', to }
    })
  }

  reply(to: Message): void {
    this.cancel()
    this.about.value = { kind: 'reply', to }
    this.wantsFocus.value++
  }

  edit(message: Message): void {
    this.cancel()
    this.about.value = { kind: 'edit', message, before: this.text.value }
    this.text.value = typedOf(message)
    this.wantsFocus.value++
  }

  /** Restores the field's content from before an edit. */
  cancel(): void {
    const about = this.about.value
    if (about.kind === 'edit') this.text.value = about.before
    this.about.value = { kind: 'none' }
  }

  pick(member: { id: string; name: string }): void {
    this.#picked.set(member.name, member.id)
  }

  draft(): Draft {
    const about = this.about.value
    if (about.kind === 'edit') return { text: about.before }
    return about.kind === 'reply' ? { text: this.text.value, reply_to: about.to.id } : { text: this.text.value }
  }

  /** Empties the field immediately. Undefined when there is nothing to send, or too much. */
  submit(chat: ChatDetail): ComposerSubmission | undefined {
    if (!this.canSubmit.value) return undefined
    const { text, entities } = readTyped(this.text.value.trim())
    const mentions = mentionsIn(text, chat, this.#picked)
    const words = { text, mentions, ...(entities.length > 0 && { entities }) }
    const about = this.about.value
    this.about.value = { kind: 'none' }
    this.text.value = about.kind === 'edit' ? about.before : ''
    if (about.kind !== 'edit') return { kind: 'send', ...words, ...(about.kind === 'reply' && { replyTo: about.to }) }
    return isSame(words, about.message) ? undefined : { kind: 'edit', ...words, message: about.message }
  }

  /** A message that could not even be queued returns to the field, unless something else was begun meanwhile. */
  giveBack(submission: ComposerSubmission): void {
    if (this.text.value !== '' || this.about.value.kind !== 'none') return
    if (submission.kind === 'edit') this.edit(submission.message)
    else if (submission.replyTo) this.reply(submission.replyTo)
    this.text.value = typedOf(submission)
  }
}

const isSame = (one: SaidWords, other: SaidWords): boolean =>
  one.text === other.text && JSON.stringify(one.entities ?? []) === JSON.stringify(other.entities ?? [])
