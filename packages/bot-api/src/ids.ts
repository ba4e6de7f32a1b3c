// Schemas of ids: programs see strings, and our code gets the branded type of each id.
import {
  type AccountId,
  type ChatId,
  isAccountId,
  isChatId,
  isMessageId,
  isPressId,
  type MessageId,
  type PressId,
} from '@postern/protocol'
import { z } from 'zod'

export const accountId: z.ZodType<AccountId, string> = z.string().refine(isAccountId)
export const chatId: z.ZodType<ChatId, string> = z.string().refine(isChatId)
export const messageId: z.ZodType<MessageId, string> = z.string().refine(isMessageId)
export const pressId: z.ZodType<PressId, string> = z.string().refine(isPressId)
