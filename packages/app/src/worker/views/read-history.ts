// A window onto a conversation: its end, or a number of rows around a time.
import { appLimits, type ChatId, isCoded, isMessageId, type MessageId } from '@postern/protocol'
import type { HistoryWindow, Message } from '../../contract/objects.ts'
import type { HistoryAnchor, ViewArgs } from '../../contract/views.ts'
import type { Account } from '../account/open-account.ts'
import { AppError } from '../app-error.ts'
import { chatId } from '../shapes.ts'

/** One for each watcher: at the end it keeps its first row, so that a new row does not shift all others. */
export class HistoryReader {
  /** Rows after this time are shown. */
  #heldAfterTs: number | undefined

  read(account: Account, ...[id, anchor, limit]: ViewArgs<'history'>): HistoryWindow {
    const chat = chatId(id, 'chat')
    const { client } = account
    if (!Number.isInteger(limit) || limit < 1 || limit > appLimits.historyRowsMax)
      throw new AppError('call-malformed', { field: 'limit' })
    try {
      const place = placeOf(client, chat, anchor)
      const page = place ? client.messages.history(chat, { ...place, limit }) : this.#end(client, { chat, limit })
      return { ...page, ...quotedIn(account, { chat, page }), ...growingIn(client, { chat, page }) }
    } catch (error) {
      // The chat was declined, or a page shows an unknown one.
      if (isCoded(error, 'chat-not-found')) return { rows: [], hasOlder: false, hasNewer: false }
      throw error
    }
  }

  #end({ messages }: Account['client'], { chat, limit }: { chat: ChatId; limit: number }): HistoryWindow {
    const kept = Math.ceil(limit / 2)
    if (this.#heldAfterTs !== undefined) {
      const held = messages.history(chat, { after: this.#heldAfterTs, limit })
      const isWorn = held.hasNewer || (held.hasOlder && held.rows.length < kept)
      if (!isWorn) return held
    }
    const page = messages.history(chat, { limit: kept })
    const [first] = page.rows
    this.#heldAfterTs = first && (first.kind === 'message' ? first.message.ts : first.ts) - 1
    return page
  }
}

/** Undefined: the end. */
function placeOf(client: Account['client'], chat: ChatId, anchor: HistoryAnchor): { around: number } | undefined {
  if (anchor.at === 'end') return undefined
  const { message, at } = anchor
  const [known] = message !== undefined && isMessageId(message) ? find(client, chat, message) : []
  if (known) return { around: known.ts }
  // A link to a deleted message has no time: then the end is shown, not the first messages ever.
  return at === 0 ? undefined : { around: at }
}

function growingIn({ typing }: Account['client'], { chat, page }: ShownWindow): Pick<HistoryWindow, 'growing'> {
  const growing = page.hasNewer ? [] : typing.drafts(chat)
  return growing.length === 0 ? {} : { growing }
}

type ShownWindow = { chat: ChatId; page: HistoryWindow }

/** The messages that rows of the window and the draft reply to, if they are outside the window. */
function quotedIn({ client, drafts }: Account, { chat, page }: ShownWindow): { quoted?: Record<string, Message> } {
  const messages = page.rows.flatMap(row => (row.kind === 'message' ? [row.message] : []))
  const shown = new Set<string>(messages.map(({ id }) => id))
  const asked = [...messages.map(({ reply_to }) => reply_to), drafts.get(chat)?.reply_to]
  const wanted = new Set(asked.filter(id => id !== undefined && !shown.has(id)))
  const found = [...wanted].flatMap(id => (id !== undefined && isMessageId(id) ? find(client, chat, id) : []))
  return found.length === 0 ? {} : { quoted: Object.fromEntries(found.map(message => [message.id, message])) }
}

/** It may have been deleted, or never have arrived: the replies to it stay. */
function find(client: Account['client'], chat: ChatId, message: MessageId): Message[] {
  try {
    return [client.messages.get(chat, message)]
  } catch (error) {
    if (isCoded(error, 'message-not-found')) return []
    throw error
  }
}
