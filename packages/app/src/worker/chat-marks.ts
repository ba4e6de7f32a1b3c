// A person's settings for a chat on this device: muted, pinned, archived.
import type { Records } from '@postern/core'
import type { ChatId } from '@postern/protocol'
import type { ChatMarks } from '../contract/objects.ts'
import { lenient, RecordMap } from './record-map.ts'
import { fields, flag } from './shapes.ts'
import type { Touch } from './topics.ts'

const readMarks = fields({ muted: flag, pinned: flag, archived: flag })
const unmarked: ChatMarks = { muted: false, pinned: false, archived: false }

export class ChatMarkings {
  readonly #shelf: RecordMap<ChatMarks>

  constructor(records: Records, touch: Touch) {
    this.#shelf = new RecordMap(records, {
      read: lenient(value => readMarks(value, 'marks')),
      onChange: () => touch('marks'),
    })
  }

  get(chat: string): ChatMarks {
    return this.#shelf.get(chat) ?? unmarked
  }

  async set(chat: ChatId, change: Partial<ChatMarks>): Promise<void> {
    const marks = { ...this.get(chat), ...change }
    if (marks.muted || marks.pinned || marks.archived) await this.#shelf.put(chat, marks)
    else await this.#shelf.remove(chat)
  }

  /** A new message brings an archived chat back, unless it is muted. */
  async wroteIn(chat: ChatId): Promise<void> {
    const { archived, muted } = this.get(chat)
    if (archived && !muted) await this.set(chat, { archived: false })
  }
}
