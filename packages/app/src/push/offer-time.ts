// When notifications are offered: after the first exchange, when the person knows what they are for.
import type { ChatLine } from '../contract/objects.ts'

type Exchange = { messagesSent: number; chats: readonly Pick<ChatLine, 'state' | 'last'>[]; me: string }

/** The person has sent something, and the newest message of a chat is another member's. */
export const hasExchange = ({ messagesSent, chats, me }: Exchange): boolean =>
  messagesSent > 0 &&
  chats.some(({ state, last }) => state === 'active' && last?.kind === 'message' && last.message.from.id !== me)
