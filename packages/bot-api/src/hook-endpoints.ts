// The endpoints of incoming hooks; a gateway without HOOKS_URL has none of them.
import { hookLimits } from '@postern/protocol'
import { z } from 'zod'
import { type Endpoint, nothing } from './endpoint.ts'
import { namedChat } from './field-rules.ts'
import { createdHook, dryRun, hook, newHook } from './hook-objects.ts'

const section = 'Hooks'

const header = (what: string) => z.string().optional().describe(what)

/** Headers of the senders themselves. */
const senderHeaders = {
  'x-github-event': header('Format `github`: the kind of event.'),
  'x-github-delivery': header('Format `github`: the same delivery is not written again within 24 hours.'),
  'x-hub-signature-256': header('Format `github`: proves the `secret` of the hook.'),
  'x-gitlab-event': header('Format `auto`: marks an event of GitLab.'),
  'x-gitlab-event-uuid': header('Format `gitlab`: the same body of one event is not written again within 24 hours.'),
  'x-gitlab-token': header('Format `gitlab`: must equal the `secret` of the hook, if it has one.'),
  'sentry-hook-resource': header('Format `sentry`: the kind of event.'),
  'sentry-hook-signature': header('Format `sentry`: proves the `secret` of the hook.'),
  'request-id': header('Format `sentry`: the same request is not written again within 24 hours.'),
}

export const hookEndpoints = {
  listHooks: {
    method: 'GET',
    path: '/v1/hooks',
    section,
    scopes: ['hooks'],
    reach: ['query.chat'],
    summary: 'List hooks',
    description:
      'The hooks of all chats or of one, oldest first, each with the end of its last post. These endpoints exist if HOOKS_URL is set.',
    query: z.object({ chat: namedChat.optional().describe('Only the hooks of this chat.') }),
    statuses: { not_found: 404 },
    answer: z.array(hook),
  },
  createHook: {
    method: 'POST',
    path: '/v1/hooks',
    section,
    scopes: ['hooks'],
    reach: ['body.chat_id'],
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
    scopes: ['hooks'],
    reach: 'own',
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
      'Writes a post into the chat. A hook of format `text` accepts text/plain, in any charset, or application/json. 200: the relay has stored the message durably, or there was nothing to write. 502: it could not be sent in time; posting the same body again duplicates nothing. A hook of format `slack` answers as Slack does, in plain text.',
    open: true,
    params: z.object({ secret: z.string().describe('The last part of the address of the hook.') }),
    query: z.object({
      dry_run: z
        .enum(['0', '1'], 'must be 0 or 1')
        .optional()
        .describe('1: answers what would be written, sends nothing and remembers nothing.'),
    }),
    headers: z.object({
      'content-type': z.string().optional(),
      'x-vcs-token': z.string().optional().describe('Format `pipeline`: if present, it must equal the secret.'),
      'idempotency-key': z
        .string()
        .min(1, 'must have at least one byte')
        .optional()
        .describe('A post under the same key is not written again within 24 hours. Not empty, of any length.'),
      ...senderHeaders,
    }),
    upload: { types: ['application/json', 'text/plain'], bytesMax: hookLimits.bodyBytesMax },
    statuses: { unauthorized: 401, gone: 410, internal: 500, unavailable: 502 },
    answer: dryRun,
  },
} as const satisfies Record<string, Endpoint>

export type HookEndpointName = keyof typeof hookEndpoints
