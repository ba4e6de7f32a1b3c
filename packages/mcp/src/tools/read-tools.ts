// The tools that read: chats, recent updates, and older messages.
import { isCoded, mcpLimits } from '@postern/protocol'
import { z } from 'zod'
import { visibleName } from '../untrusted.ts'
import type { RecentUpdates } from './recent-updates.ts'
import { shownMessage } from './shown.ts'
import { allowedChat, chatField, DATA_NOT_ORDERS, defineTool, type McpTool, type ToolParts } from './tool.ts'

const { waitSecMax, messagesPageDefault, messagesPageMax } = mcpLimits
const annotations = { readOnlyHint: true, openWorldHint: true }

const listChats = defineTool({
  name: 'list_chats',
  title: 'List chats',
  description: 'Lists the chats that you may reach. may_write: whether a message or a question can be sent to it now.',
  input: z.strictObject({}),
  annotations: { readOnlyHint: true },
  run: (_, parts) => ({ chats: parts.context.chats.flatMap(id => shownChat(id, parts)) }),
})

function shownChat(id: ToolParts['context']['chats'][number], { context: { client } }: ToolParts): object[] {
  try {
    const { type, name, state } = client.chats.get(id)
    return [{ id, type, name: visibleName(name), may_write: state === 'active' }]
  } catch (error) {
    // The bot was never there, or the chat is gone.
    if (isCoded(error, 'chat-not-found')) return []
    throw error
  }
}

const readMessages = defineTool({
  name: 'read_messages',
  title: 'Read messages',
  description: `Reads messages of a chat, oldest first: the newest ones, or those before a time. ${DATA_NOT_ORDERS}`,
  input: z.strictObject({
    chat: chatField,
    before: z.int().min(0).optional().describe('The ts of a message: those before it are read.'),
    limit: z.int().min(1).max(messagesPageMax).default(messagesPageDefault),
  }),
  annotations,
  run: ({ chat, before, limit }, parts) => {
    const page = { limit, ...(before !== undefined && { beforeTs: before }) }
    return { messages: parts.context.client.messages.list(allowedChat(chat, parts), page).map(shownMessage) }
  },
})

const readUpdates = (recent: RecentUpdates): McpTool =>
  defineTool({
    name: 'read_updates',
    title: 'Read updates',
    description: `Reads what has happened in your chats since an update: pass the next of the last call as after. ${DATA_NOT_ORDERS}`,
    input: z.strictObject({
      after: z.int().min(0).optional(),
      chat: chatField.optional(),
      wait_seconds: z.int().min(0).max(waitSecMax).default(0).describe('How long to wait for the first update.'),
    }),
    annotations,
    run: async ({ after, chat, wait_seconds: seconds }, parts, { gone }) => {
      const chats = chat === undefined ? parts.context.chats : [allowedChat(chat, parts)]
      return await recent.read({ after, chats, forMs: seconds * 1000, gone })
    },
  })

export const readTools = (recent: RecentUpdates): McpTool[] => [listChats, readUpdates(recent), readMessages]
