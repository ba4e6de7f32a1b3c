// The unsent text of a chat's field: stored on this device.
import type { Records } from '@postern/core'
import type { ChatId } from '@postern/protocol'
import type { Draft } from '../contract/objects.ts'
import { lenient, RecordMap } from './record-map.ts'
import { fields, text } from './shapes.ts'
import type { Touch } from './topics.ts'

const readDraft = fields({ text }, { reply_to: text })

export class Drafts {
  readonly #shelf: RecordMap<Draft>

  constructor(records: Records, touch: Touch) {
    this.#shelf = new RecordMap(records, {
      read: lenient(value => readDraft(value, 'draft')),
      onChange: () => touch('drafts'),
    })
  }

  get(chat: string): Draft | undefined {
    return this.#shelf.get(chat)
  }

  /** An empty one without a reply is none. */
  async set(chat: ChatId, draft: Draft): Promise<void> {
    if (draft.text === '' && draft.reply_to === undefined) await this.#shelf.remove(chat)
    else await this.#shelf.putSoon(chat, draft)
  }
}
