// The OpenAPI 3.1 document, made from the table of endpoints.
import { gatewayLimits } from '@postern/protocol'
import type { Endpoint } from '../endpoint.ts'
import { endpoints } from '../endpoints.ts'
import { errorResponses } from './error-answers.ts'
import { fileHeadOf, operationOf } from './operations.ts'
import { componentSchemas } from './schemas.ts'
import type { OpenapiDocument } from './shapes.ts'
import { webhookOperation } from './webhook-operation.ts'

const sections: Readonly<Record<Endpoint['section'], string>> = {
  Bot: 'The bot itself: name, picture, commands, invite link and start links.',
  Chats: 'Private chats and groups, and requests that wait to be accepted.',
  Messages: 'Texts and files, their edits and deletions, and reactions.',
  Polls: 'Questions that people vote on.',
  Buttons: 'Buttons under a message, and answers to presses.',
  Updates: 'Events in the chats, fetched by polling or delivered to a webhook.',
  Hooks: 'Secret addresses that turn posts into messages; available if HOOKS_URL is set.',
  Tokens: 'Tokens with fewer rights than BOT_TOKEN, and with chats to which they are limited.',
  Service: 'The gateway itself.',
}

/** One scheme for both tokens: they are sent in the same way, and with two schemes a page would ask for both. */
const tokenDescription =
  'The BOT_TOKEN of the gateway, or a token of POST /v1/tokens that has the scopes of the operation. For GET /v1/metrics also its METRICS_TOKEN.'

export function makeOpenapi({ version }: { version: string }): OpenapiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Postern',
      version,
      description: `One bot on an end-to-end encrypted relay. Ids are strings, times are Unix milliseconds. Fields, types of updates and values of fields may be added: ignore those that you do not know. HEAD is answered wherever GET is. A JSON body has at most ${gatewayLimits.jsonBodyBytesMax} bytes; the address and the headers of a request have together at most ${gatewayLimits.requestHeadBytesMax}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: Object.entries(sections).map(([name, description]) => ({ name, description })),
    paths: pathsOf(Object.entries(endpoints)),
    webhooks: { update: { post: webhookOperation() } },
    components: {
      schemas: componentSchemas(),
      responses: errorResponses(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: tokenDescription } },
    },
  }
}

function pathsOf(rows: [string, Endpoint][]): OpenapiDocument['paths'] {
  const paths: OpenapiDocument['paths'] = {}
  for (const [name, endpoint] of rows) {
    const { path, method, answerType } = endpoint
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operationOf(name, endpoint),
      ...(answerType === '*/*' && { head: fileHeadOf(endpoint) }),
    }
  }
  return paths
}
