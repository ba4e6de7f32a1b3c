// Messages and files, as rows of the table of endpoints.
import { contentLimits, gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { chatParams, type Endpoint, messageParams, nothing, pageLimit, sendHeaders } from './endpoint.ts'
import { optionalMessageId, wholeNumber } from './field-rules.ts'
import { albumFields, fileFields } from './form-rules.ts'
import { messageForward } from './forward-rules.ts'
import { message } from './objects.ts'
import { messageEdit, newReaction, readMark, textMessage } from './requests.ts'

const time = wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })

/** A page with two of them makes no sense. */
function atMostOnePlace(
  query: { before?: unknown; after?: unknown; around?: unknown },
  context: z.RefinementCtx,
): void {
  const places = (['before', 'after', 'around'] as const).filter(name => query[name] !== undefined)
  const [first, second] = places
  if (second) context.addIssue({ code: 'custom', path: [second], message: `cannot be combined with ${first}` })
}

export const messageEndpoints = {
  listMessages: {
    method: 'GET',
    path: '/v1/chats/{chat}/messages',
    section: 'Messages',
    scopes: ['read'],
    reach: ['params.chat'],
    summary: 'List messages',
    description:
      'The newest messages of a chat, the newest before a time, the first after one, or those around a message; oldest first.',
    params: chatParams,
    query: z
      .object({
        before: time.optional().describe('The newest messages before that time.'),
        after: time.optional().describe('The first messages after that time.'),
        around: optionalMessageId.describe('The id of a message: about half of the page is older.'),
        limit: pageLimit({ max: gatewayLimits.messagesPageMax, standard: gatewayLimits.messagesPageDefault }).describe(
          'How many at most.',
        ),
      })
      .superRefine(atMostOnePlace),
    answer: z.array(message),
  },
  sendMessage: {
    method: 'POST',
    path: '/v1/chats/{chat}/messages',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Send a text',
    description:
      'Sends a text. The answer means that the relay has stored it durably. The account id of a person whom the bot has never met opens a chat.',
    params: chatParams,
    headers: sendHeaders,
    body: textMessage,
    answer: message,
  },
  sendFile: {
    method: 'POST',
    path: '/v1/chats/{chat}/files',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Send a file',
    description:
      'Sends a file; its bytes are encrypted and streamed to the relay. Less than 64 KB in a minute is too slow, and answered with 400. The gateway creates the preview of a photo.',
    params: chatParams,
    headers: sendHeaders,
    form: { fields: fileFields, fileBytesMax: contentLimits.fileBytesMax },
    answer: message,
  },
  sendAlbum: {
    method: 'POST',
    path: '/v1/chats/{chat}/albums',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Send an album',
    description:
      'Sends files as one album, in the order of the form: each is a message, and all of them have the same `album`. People see photos and videos of an album in one bubble. The first file has the caption and the reply. Nothing is sent before the whole form was read and checked. One `Idempotency-Key` is for the whole album: a repetition under it continues after the last file that was sent, and answers all messages. Without a key, an album whose relay is lost in the middle stays incomplete.',
    params: chatParams,
    headers: sendHeaders,
    form: { fields: albumFields, fileBytesMax: contentLimits.fileBytesMax, filesMax: contentLimits.albumFilesMax },
    answer: z.array(message),
  },
  forwardMessage: {
    method: 'POST',
    path: '/v1/chats/{chat}/forward',
    section: 'Messages',
    scopes: ['read', 'send'],
    reach: ['params.chat', 'body.from.chat_id'],
    summary: 'Forward a message',
    description:
      'Sends a text or a file of another chat, or of the same one, into this chat: marked as forwarded, or with `copy` as a message of the bot’s own. Text and formatting are kept; mentions, buttons, replies and reactions are not. The gateway sends the bytes of a file again, encrypted under a new key: the new message does not depend on the old one, and its file is kept as long as any other. A poll cannot be forwarded.',
    params: chatParams,
    headers: sendHeaders,
    body: messageForward,
    answer: message,
  },
  getMessage: {
    method: 'GET',
    path: '/v1/chats/{chat}/messages/{msg}',
    section: 'Messages',
    scopes: ['read'],
    reach: ['params.chat'],
    summary: 'Get a message',
    description: 'One message.',
    params: messageParams,
    answer: message,
  },
  getFile: {
    method: 'GET',
    path: '/v1/chats/{chat}/messages/{msg}/file',
    section: 'Messages',
    scopes: ['read'],
    reach: ['params.chat'],
    summary: 'Get a file',
    description:
      "A message's file: its bytes with their Content-Type, fetched from the relay and decrypted at the first request.",
    params: messageParams,
    headers: z.object({
      range: z.string().optional().describe('One range of bytes, as in `bytes=0-1023`: the answer is 206, or 416.'),
      'if-range': z
        .string()
        .optional()
        .describe('The ETag of an earlier answer: if it differs, the whole file is returned.'),
      'if-none-match': z.string().optional().describe('ETags of earlier answers: 304 if one of them still matches.'),
      'if-match': z.string().optional().describe('ETags of earlier answers: 412 if none of them matches.'),
    }),
    answer: z.unknown().describe('The bytes.'),
    answerType: '*/*',
  },
  editMessage: {
    method: 'PATCH',
    path: '/v1/chats/{chat}/messages/{msg}',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Edit a message',
    description:
      "Edits the bot's own text or caption within 48 hours, and at any time while it has buttons; what is absent stays, and [] removes the buttons.",
    params: messageParams,
    body: messageEdit,
    answer: message,
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/v1/chats/{chat}/messages/{msg}',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Delete a message',
    description: "Deletes a message: for everyone, if it is the bot's own, or only in the bot's database.",
    params: messageParams,
    query: z.object({
      for: z
        .enum(['all', 'me'], 'must be all or me')
        .default('all')
        .describe('For everyone, or only in the bot’s database.'),
    }),
    answer: nothing,
  },
  setReaction: {
    method: 'PUT',
    path: '/v1/chats/{chat}/messages/{msg}/reaction',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Set a reaction',
    description: "Sets the bot's reaction, one emoji, in place of the one it had.",
    params: messageParams,
    body: newReaction,
    answer: nothing,
  },
  removeReaction: {
    method: 'DELETE',
    path: '/v1/chats/{chat}/messages/{msg}/reaction',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Remove a reaction',
    description: "Removes the bot's reaction.",
    params: messageParams,
    answer: nothing,
  },
  markRead: {
    method: 'POST',
    path: '/v1/chats/{chat}/read',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Mark messages read',
    description: 'Marks messages as read, up to one or all. The countdown of disappearing messages starts.',
    params: chatParams,
    body: readMark,
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>
