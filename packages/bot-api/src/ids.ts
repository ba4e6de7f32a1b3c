// Ids as schemas: a program reads strings, our own code gets the kind of each id with it.
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
