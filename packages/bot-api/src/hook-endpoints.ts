// The endpoints of incoming hooks; a gateway without HOOKS_URL has none of them.
import { hookLimits } from '@postern/protocol'
import { z } from 'zod'
import { type Endpoint, nothing } from './endpoint.ts'
import { namedChat } from './field-rules.ts'
import { createdHook, hook, newHook } from './hook-objects.ts'

const section = 'Hooks'

export const hookEndpoints = {
  listHooks: {
    method: 'GET',
    path: '/v1/hooks',
    section,
    summary: 'List hooks',
    description: 'The hooks of all chats or of one, oldest first. These endpoints exist if HOOKS_URL is set.',
    query: z.object({ chat: namedChat.optional().describe('Only the hooks of this chat.') }),
    statuses: { not_found: 404 },
    answer: z.array(hook),
  },
  createHook: {
    method: 'POST',
    path: '/v1/hooks',
    section,
    summary: 'Create a hook',
    description: `Creates a hook: an address whose posts the bot writes into the chat. There are at most ${hookLimits.hooksMax}.`,
    body: newHook,
    statuses: { not_found: 404 },
    answer: createdHook,
  },
  deleteHook: {
    method: 'DELETE',
    path: '/v1/hooks/{id}',
    section,
    summary: 'Remove a hook',
    description: 'Removes a hook; its address answers 404 from then on.',
    params: z.object({ id: z.string().describe('The id of the hook.') }),
    answer: nothing,
  },
  postHook: {
    method: 'POST',
    path: '/hooks/{secret}',
    section,
    summary: 'Post to a hook',
    description:
      'Writes a post into the chat. A hook of format `text` accepts text/plain, in any charset, or application/json. 200: the relay has stored the message durably, or there was nothing to write. 502: it could not be sent in time; posting the same body again duplicates nothing.',
    open: true,
    params: z.object({ secret: z.string().describe('The last part of the address of the hook.') }),
    headers: z.object({
      'content-type': z.string().optional(),
      'x-vcs-token': z.string().optional().describe('Format `pipeline`: if present, it must equal the secret.'),
      'idempotency-key': z
        .string()
        .min(1, 'must have at least one byte')
        .optional()
        .describe('A post under the same key is not written again within 24 hours. Not empty, of any length.'),
    }),
    upload: { types: ['application/json', 'text/plain'], bytesMax: hookLimits.bodyBytesMax },
    statuses: { unauthorized: 401, gone: 410, internal: 500, unavailable: 502 },
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>

export type HookEndpointName = keyof typeof hookEndpoints
