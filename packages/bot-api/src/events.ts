// Declares the events of a chat once: core's journal, updates, `postern person` and the documents derive from it.
import { z } from 'zod'
import { chatId, messageId, pressId } from './ids.ts'
import { notice } from './notices.ts'
import { chat, message, person } from './objects.ts'

export type { Notice } from './notices.ts'

export const deletion = z.object({ message_id: messageId, from: person })

export const reactionChange = z.object({
  message_id: messageId,
  from: person,
  emoji: z.string().describe('Empty if it was removed, or the message no longer exists.'),
})

export const press = z.object({
  message_id: messageId,
  from: person,
  data: z.string().describe('Empty if the message no longer exists.'),
  press_id: pressId,
})

export const receipt = z.object({ message_id: messageId, from: person })

export const joinRequest = z
  .object({ from: person })
  .describe('Somebody asks for a place in the group, by a link of yours.')

const event = <const Type extends string, Payload extends z.ZodRawShape>(type: Type, payload: Payload) =>
  z.object({ id: z.int(), chat_id: chatId, type: z.literal(type), ...payload })

/** Updates for a bot's operator; people receive them, too. */
export const update = z
  .discriminatedUnion('type', [
    event('message', { message }),
    event('edited', { message }),
    event('deleted', { deleted: deletion }),
    event('reaction', { reaction: reactionChange }),
    event('poll', { message }),
    event('button', { button: press }),
    event('expired', { expired: z.array(messageId) }),
    event('chat', { chat }),
    event('notice', { notice }),
    event('delivered', { delivered: receipt }),
    event('read', { read: receipt }),
    event('join_request', { join_request: joinRequest }),
  ])
  .describe('An event in a chat. More types may be added: ignore those that you do not know.')
export type Update = z.infer<typeof update>

/** The types of updates, in the order of the table. */
export const updateTypeNames: readonly string[] = update.options.map(({ shape }) => shape.type.value)

/** Only for named readers that ask for them in `?types=`. */
export const receiptTypeNames: readonly string[] = ['delivered', 'read'] satisfies Update['type'][]

/** Updates for people only. */
export const peopleUpdate = z.discriminatedUnion('type', [
  event('receipt', {
    receipt: z.object({ message_id: messageId, from: person, status: z.enum(['delivered', 'read']) }),
  }),
  event('call', { call: z.object({ from: person, state: z.enum(['ringing', 'declined']) }) }),
  event('toast', { toast: z.object({ press_id: pressId, text: z.string() }) }),
])

/** Every entry of a journal, with its number. */
export const chatUpdate = z.union([update, peopleUpdate])

type WithoutId<Numbered> = Numbered extends unknown ? Omit<Numbered, 'id'> : never

/** Events before they have their number in the journal. */
export type ReceiptEvent = Extract<WithoutId<Update>, { type: 'delivered' | 'read' }>
export type OperatorEvent = Exclude<WithoutId<Update>, ReceiptEvent>
export type PeopleEvent = WithoutId<z.infer<typeof peopleUpdate>>
export type ChatEvent = OperatorEvent | PeopleEvent
