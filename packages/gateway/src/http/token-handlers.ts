// The handlers of scoped tokens.
import type { Client } from '@postern/core'
import type { Tokens } from '../tokens/tokens.ts'
import type { Updates } from '../updates/updates.ts'
import type { Handlers } from './handler.ts'

export const tokenHandlers = (tokens: Tokens, { client, updates }: { client: Client; updates: Updates }) =>
  ({
    createToken: ({ body }) => {
      for (const chat of body.chats ?? []) client.chats.get(chat)
      return tokens.create(body)
    },
    listTokens: () => tokens.list(),
    revokeToken: async ({ params }) => {
      await tokens.revoke(params.id)
      await updates.readers.tidy(id => tokens.has(id))
      return {}
    },
  }) satisfies Partial<Handlers>
