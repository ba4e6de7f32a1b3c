// The list of completions: the selected one, and the effect of choosing it.
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { sendText } from '../submit.ts'
import type { Talk } from '../talk.ts'
import { type Completion, choicesAt } from '../writing/completion.ts'

export class CompletionChoice {
  readonly caret = signal(0)
  readonly choices: ReadonlySignal<Completion[]>
  readonly at: ReadonlySignal<number>
  readonly #talk: Talk
  readonly #moved = signal(0)
  /** The list was closed for this text: it stays closed until something else is typed. */
  readonly #closedFor = signal<string | undefined>(undefined)

  constructor(talk: Talk) {
    this.#talk = talk
    this.choices = computed(() => {
      const text = talk.compose.text.value
      if (text === this.#closedFor.value || talk.compose.about.value.kind === 'edit') return []
      return choicesAt(talk.chat.value, talk.me, { text, caret: this.caret.value })
    })
    this.at = computed(() => Math.max(0, Math.min(this.#moved.value, this.choices.value.length - 1)))
  }

  typed(): void {
    this.#moved.value = 0
    this.#closedFor.value = undefined
  }

  move(by: 1 | -1): void {
    const count = this.choices.value.length
    this.#moved.value = (this.at.value + by + count) % count
  }

  close(): void {
    this.#closedFor.value = this.#talk.compose.text.value
  }

  /** Returns the new position of the caret; undefined when it was sent. */
  async choose(choice: Completion | undefined): Promise<number | undefined> {
    const { compose } = this.#talk
    if (!choice) return undefined
    if (choice.kind === 'member') {
      compose.pick(choice)
      const before = `${compose.text.value.slice(0, choice.from)}@${choice.name} `
      compose.text.value = `${before}${compose.text.value.slice(choice.to)}`
      return before.length
    }
    if (choice.command.args !== undefined) {
      compose.text.value = `${choice.written} `
      return compose.text.value.length
    }
    compose.text.value = ''
    await sendText(this.#talk, choice.written)
    return undefined
  }
}
