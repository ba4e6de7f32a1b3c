// A text that is shown while it is made, such as the answer of a language model. The message comes at its end, once.
import type { Api } from './api.ts'
import type { Message } from './api-types.ts'
import type { Clock } from './clock.ts'
import type { Extra } from './extras.ts'

export type StreamOptions = {
  /** The growing text is shown at most once in this time. By default 700 ms. */
  everyMs?: number
  /** False: people see the message alone. */
  drafts?: boolean
  /** For the first message. */
  extra?: Extra
}

/** As in the gateway; a test compares it. */
export const textCharsMax = 4096

/** The message of a text that has remained empty. */
const NOTHING = '…'

type StreamTarget = {
  chatId: string
  api: Api
  reply: (text: string, extra?: Extra) => Promise<Message>
  send: (text: string, extra: Extra) => Promise<Message>
}
/** `name`: of this step; its further messages have names of their own. */
type Place = StreamOptions & { context: StreamTarget; clock: Clock; name: string }

export async function streamText(
  parts: AsyncIterable<string>,
  { context, clock, name, everyMs = 700, drafts = true, extra = {} }: Place,
): Promise<Message> {
  const { format } = extra
  let count = 0
  let text = ''
  let shownMs = clock.nowMs()
  const say = async (words: string): Promise<Message> => {
    count += 1
    if (count === 1) return await context.reply(words, { ...extra, key: name })
    // Another run may need another number of messages: that must not shift the keys of the steps behind this one.
    return await context.send(words, { format, key: `${name}.${count}` })
  }
  if (drafts) await unlessLost(context.api.sendTyping({ chat: context.chatId }, { retryForMs: 0 }))
  for await (const part of parts) {
    text += part
    for (let cut = cutOf(text); cut !== undefined; cut = cutOf(text)) {
      await say(text.slice(0, cut.end))
      text = text.slice(cut.next)
    }
    if (!drafts || clock.nowMs() - shownMs < everyMs || text.trim() === '') continue
    shownMs = clock.nowMs()
    await unlessLost(context.api.sendDraft({ chat: context.chatId, text, format }, { retryForMs: 0 }))
  }
  // The rest may be empty behind a message that ended at the limit.
  return await say(text.trim() === '' ? NOTHING : text)
}

/** A draft that is not shown loses nothing: the message follows. */
async function unlessLost(showing: Promise<unknown>): Promise<void> {
  await showing.catch(() => undefined)
}

/** Where a text that is too long is divided: at the end of a line, of a word, or at the limit. */
function cutOf(text: string): { end: number; next: number } | undefined {
  const signs = [...text]
  if (signs.length <= textCharsMax) return undefined
  const whole = signs.slice(0, textCharsMax).join('')
  for (const sign of ['\n', ' ']) {
    const at = whole.lastIndexOf(sign)
    if (whole.slice(0, Math.max(at, 0)).trim() !== '') return { end: at, next: at + 1 }
  }
  return { end: whole.length, next: whole.length }
}
