// Calls about messages: sending them, acting on them, their files, and finding them.
import { appLimits, type ChatId, type MessageId, type PictureHead, readPictureHead } from '@postern/protocol'
import type { AppCallAnswer } from '../../contract/calls.ts'
import { AppError } from '../app-error.ts'
import { entities, mentions, newFile, newPollMessage, newText } from '../outgoing/outgoing-row.ts'
import { blob, chatId, count, fields, listOf, messageId, oneOf, text } from '../shapes.ts'
import { chatOf } from '../views/read-chats.ts'
import { inAccount, once, WITHIN } from './answering.ts'

const ofMessage = { chat: chatId, message: messageId }

export const messageCalls = {
  // The queue knows its keys, and core those that have gone out.
  send: inAccount(newText, async ({ outgoing }, { chat, ...body }, { key }) => {
    await outgoing.add({ key, chat, body: { kind: 'text', ...body } })
  }),
  sendPoll: inAccount(newPollMessage, async ({ outgoing }, { chat, ...body }, { key }) => {
    await outgoing.add({ key, chat, body: { kind: 'poll', ...body } })
  }),
  sendFile: inAccount(
    (asked, field) => ({ ...newFile(asked, field), ...fields({ bytes: blob })(asked, field) }),
    async ({ outgoing }, { chat, bytes, ...body }, { key }) => {
      await outgoing.add({ key, chat, bytes, body: { kind: 'file', ...body } })
    },
  ),
  // The queue knows the keys that are derived from this one. Used now and then: fetched then.
  forward: inAccount(
    fields({ chat: chatId, messages: listOf(messageId), to: listOf(chatId) }),
    async (account, asked, { key }) => {
      const { forwardMessages } = await import('../outgoing/forward.ts')
      await forwardMessages(account, { ...asked, key })
    },
  ),
  // A repeat gets the error that it is gone.
  takeBack: inAccount(
    fields({ outgoing: text }),
    async ({ outgoing }, asked) => await outgoing.takeBack(asked.outgoing),
  ),
  retry: inAccount(fields({ outgoing: text }), async ({ outgoing }, asked) => await outgoing.retry(asked.outgoing)),

  // A repeat sends the same words: readers see no difference.
  edit: inAccount(
    fields({ ...ofMessage, text }, { mentions, entities }),
    async ({ client }, { chat, ...asked }, given) => {
      await client.messages.edit(chat, asked, once(given, asked))
    },
  ),
  // A deleted message cannot be deleted again: that it was not found is the wanted result.
  erase: inAccount(fields({ ...ofMessage, for: oneOf('all', 'me') }), async ({ client }, { chat, ...asked }, given) => {
    await client.messages.delete(chat, asked, once(given, asked))
  }),
  // A repeat sends the same reaction.
  react: inAccount(fields({ ...ofMessage, emoji: text }), async ({ client }, { chat, ...asked }, given) => {
    await client.messages.react(chat, asked, once(given, asked))
  }),
  vote: inAccount(fields({ ...ofMessage, options: listOf(count) }), async ({ client }, { chat, ...asked }, given) => {
    await client.messages.vote(chat, asked, once(given, asked))
  }),
  closePoll: inAccount(fields(ofMessage), async ({ client }, { chat, message }, given) => {
    await client.messages.closePoll(chat, message, once(given, { message }))
  }),
  press: inAccount(fields({ ...ofMessage, data: text }), async ({ presses }, asked, { key }) => {
    await presses.press({ ...asked, key })
  }),
  // A repeat finds it read.
  read: inAccount(fields({ chat: chatId }, { upTo: messageId }), async ({ client, alerts }, { chat, upTo }) => {
    await client.messages.markRead(chat, upTo)
    if (client.chats.get(chat).unread === 0) alerts.seen(chat)
  }),
  // A page stores its draft when it goes: after its chat was deleted, nothing of it may stay.
  draft: inAccount(fields({ chat: chatId, text }, { reply_to: messageId }), async (account, { chat, ...draft }) => {
    if (chatOf(account, chat)) await account.drafts.set(chat, draft)
  }),

  // A repeat is within the seconds in which nothing more is sent.
  typing: inAccount(fields({ chat: chatId }), async ({ typing }, { chat }) => await typing.tell(chat)),

  openFile: inAccount(fields(ofMessage), async ({ client }, asked) => await readFile(client, asked)),
  search: inAccount(
    fields({ text, limit: count }, { chat: chatId, beforeTs: count }),
    async ({ client }, { limit, ...asked }) => {
      if (limit < 1) throw new AppError('call-malformed', { field: 'limit' })
      return { messages: client.messages.search({ ...asked, limit: Math.min(limit, appLimits.foundMax) }) }
    },
  ),
}

type FileReading = Parameters<Parameters<typeof inAccount>[1]>[0]['client']

type OfMessage = { chat: ChatId; message: MessageId }

/** Decrypted into a Blob of pieces: the browser keeps large ones on its own disk, for as long as a page shows them. */
async function readFile(client: FileReading, { chat, message }: OfMessage): Promise<AppCallAnswer<'openFile'>> {
  const file = await client.files.open(chat, message, WITHIN)
  const pieces: Blob[] = []
  for await (const piece of file.read()) pieces.push(new Blob([new Uint8Array(piece)]))
  // Never a type of the sender's choice: a page that opens it as a document would run it in its name.
  const bytes = new Blob(pieces, { type: 'application/octet-stream' })
  const picture = file.kind === 'photo' ? await headOf(bytes) : undefined
  return { bytes, ...(picture && { picture }) }
}

const headOf = async (photo: Blob): Promise<PictureHead | undefined> =>
  readPictureHead(new Uint8Array(await photo.slice(0, appLimits.photoHeadBytesMax).arrayBuffer()))
