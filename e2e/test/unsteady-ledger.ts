// The answers that each speaker received about its messages, and whether they match what everybody sees.
import { isCoded, type MessageId } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit/random'
import type { Talk, Unsteady } from './unsteady-people.ts'

/** `unsure`: once in doubt, whatever a later try under the same key was answered. */
type Outcome = 'sent' | 'unsent' | 'unsure'
type Entry = { text: string; talk: string; outcome: Outcome }
type Saying = { talk: Talk; speaker: Unsteady; word: string }

const DEADLINES_MS = [60, 400, 1500, 5000]
const KEYED_TRIES = 3
const EMOJIS = ['👍', '🔥', '🎉', '']

export class Ledger {
  readonly entries: Entry[] = []
  /** Errors that nobody should get while only the wire fails. */
  readonly faults: string[] = []

  noteFailure(what: string, error: unknown): void {
    if (!isCoded(error, 'send-in-doubt', 'relay-unreachable')) this.faults.push(`${what}: ${String(error)}`)
  }

  complaints(talk: string, lists: Map<string, string[]>): string[] {
    const [first] = lists.values()
    const complaints = [...lists]
      .filter(([, list]) => JSON.stringify(list) !== JSON.stringify(first))
      .map(([reader]) => `${talk}: ${reader} sees another list`)
    const countOf = Map.groupBy(first ?? [], text => text)
    for (const { text, outcome } of this.entries.filter(entry => entry.talk === talk)) {
      const count = countOf.get(text)?.length ?? 0
      const isRight = outcome === 'unsure' ? count <= 1 : count === (outcome === 'sent' ? 1 : 0)
      if (!isRight) complaints.push(`${talk}: "${text}" was ${outcome}, and stands there ${count} times`)
    }
    return complaints
  }
}

/** Under a key it is retried, as a caller does after an error that says to retry. */
export async function sayAndNote(ledger: Ledger, saying: Saying, random: SeededRandom): Promise<void> {
  const { talk, speaker, word } = saying
  const { client, name } = speaker.person
  const text = `${word} ${name}`
  const timeoutMs = random.of(DEADLINES_MS)
  const isKeyed = random.below(4) === 0
  const idempotency = { key: `${talk.name} ${text}`, request: new TextEncoder().encode(text) }
  const within = { timeoutMs, ...(isKeyed && { idempotency }) }
  const entry: Entry = { text, talk: talk.name, outcome: 'unsent' }
  ledger.entries.push(entry)
  for (let tries = isKeyed ? KEYED_TRIES : 1; tries > 0 && entry.outcome !== 'sent'; tries--)
    try {
      await client.messages.sendText(talk.idFor(speaker), { text }, within)
      entry.outcome = 'sent'
    } catch (error) {
      ledger.noteFailure(text, error)
      if (!isCoded(error, 'relay-unreachable')) entry.outcome = 'unsure'
    }
}

/** A reaction to the first message, or an edit of it: settled late or not, all must see the same in the end. */
export async function remark(
  ledger: Ledger,
  { talk, speaker }: { talk: Talk; speaker: Unsteady },
  random: SeededRandom,
): Promise<void> {
  const { client, name } = speaker.person
  const chat = talk.idFor(speaker)
  const message = talk.first as MessageId
  const within = { timeoutMs: random.of(DEADLINES_MS) }
  const isEdit = name === 'alice' && random.below(2) === 0
  const edit = { message, text: `edited ${random.below(1000)}` }
  const reaction = { message, emoji: random.of(EMOJIS) }
  try {
    if (isEdit) await client.messages.edit(chat, edit, within)
    else await client.messages.react(chat, reaction, within)
  } catch (error) {
    ledger.noteFailure(`${name} about the first message`, error)
  }
}
