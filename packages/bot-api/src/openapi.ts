// The OpenAPI 3.1 document, made from the table of endpoints.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { apiStatuses } from './errors.ts'
import { update } from './events.ts'
import { componentSchemas, type JsonSchema, jsonSchemaOf } from './json-schemas.ts'
import type { ApiErrorCode } from './objects.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}
export type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security?: []
  parameters?: Parameter[]
  requestBody?: { required: boolean; description?: string; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, object>
}
export type OpenapiDocument = {
  openapi: '3.1.1'
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> } & Record<string, unknown>
} & Record<string, unknown>

export function makeOpenapi({ version }: { version: string }): OpenapiDocument {
  const paths: OpenapiDocument['paths'] = {}
  for (const [name, endpoint] of Object.entries(endpoints) as [string, Endpoint][])
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(name, endpoint)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Postern',
      version,
      description: `One bot on an end-to-end encrypted relay. Ids are strings, times are Unix milliseconds. HEAD is answered wherever GET is. A body of JSON has at most ${gatewayLimits.jsonBodyBytesMax} bytes; the address and the headers of a request have together at most ${gatewayLimits.requestHeadBytesMax}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(Object.values(endpoints).map(({ section }) => section))].map(name => ({ name })),
    paths,
    webhooks: { update: { post: webhookOperation } },
    components: {
      schemas: componentSchemas(),
      responses: Object.fromEntries(errorCodes.map(code => [code, errorResponse(code)])),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The BOT_TOKEN of the gateway.' } },
    },
  }
}

function operationOf(name: string, endpoint: Endpoint): Operation {
  const parameters = parametersOf(endpoint)
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.section],
    ...(endpoint.open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...requestOf(endpoint),
    responses: {
      ...answersOf(endpoint),
      ...Object.fromEntries(
        errorCodesOf(endpoint).map(code => [statusOf(endpoint, code), { $ref: `#/components/responses/${code}` }]),
      ),
    },
  }
}

const places = { params: 'path', query: 'query', headers: 'header' } as const

function parametersOf(endpoint: Endpoint): Parameter[] {
  return (Object.keys(places) as (keyof typeof places)[]).flatMap(part =>
    Object.entries(endpoint[part]?.shape ?? {}).map(([name, schema]) => {
      const { description, ...rest } = jsonSchemaOf(schema as z.ZodType)
      return {
        name,
        in: places[part],
        required: !z.safeParse(schema as z.ZodType, undefined).success,
        ...(typeof description === 'string' && { description }),
        schema: rest,
      }
    }),
  )
}

function requestOf({ body, upload, form }: Endpoint): Pick<Operation, 'requestBody'> {
  if (form) return { requestBody: { required: true, content: { 'multipart/form-data': { schema: formSchema(form) } } } }
  if (upload)
    return {
      requestBody: {
        required: true,
        description: `At most ${upload.bytesMax} bytes.`,
        content: Object.fromEntries(upload.types.map(type => [type, { schema: {} }])),
      },
    }
  if (!body) return {}
  const required = !z.safeParse(body, undefined).success
  return { requestBody: { required, content: { 'application/json': { schema: jsonSchemaOf(body) } } } }
}

function formSchema({ fields, fileBytesMax }: NonNullable<Endpoint['form']>): JsonSchema {
  const { properties, ...rest } = jsonSchemaOf(fields)
  const file = { type: 'string', format: 'binary', description: `The file: at most ${fileBytesMax} bytes.` }
  return { ...rest, properties: { file, ...(properties as JsonSchema) }, required: ['file'] }
}

/** A file comes whole, in part, or not at all. */
function answersOf({ answer, answerType }: Endpoint): Operation['responses'] {
  const content = { [answerType ?? 'application/json']: { schema: jsonSchemaOf(answer) } }
  if (answerType !== '*/*') return { 200: { description: 'Done.', content } }
  return {
    200: { description: 'The whole file.', content },
    206: { description: 'The range of it that was asked for.', content },
    304: { description: 'The caller has it already: If-None-Match names its ETag.' },
    412: errorOf('`bad_request`: It is another file: If-Match does not name its ETag.'),
    416: errorOf('`bad_request`: The range lies behind the end of the file.'),
  }
}

function errorCodesOf(endpoint: Endpoint): ApiErrorCode[] {
  return [
    // Without any input, too: a body may be too large, or the request no HTTP.
    'bad_request',
    ...(endpoint.open ? [] : (['unauthorized'] as const)),
    ...(endpoint.params ? (['not_found'] as const) : []),
    'internal',
    'unavailable',
    ...(Object.keys(endpoint.statuses ?? {}) as ApiErrorCode[]),
  ]
}

const statusOf = ({ statuses }: Endpoint, code: ApiErrorCode): number => statuses?.[code] ?? apiStatuses[code]

const errorTexts: Record<ApiErrorCode, string> = {
  bad_request: 'A parameter is wrong, or the request is against a rule; the text names it.',
  unauthorized: 'The token is missing or wrong.',
  not_found: 'There is no such chat, message, person, press, file or hook, or no such endpoint.',
  webhook: 'A webhook is set, or UPDATES=off.',
  gone: 'The bot is no longer in the chat of the hook.',
  internal: 'A fault of the gateway.',
  unavailable:
    'Try again: the relay cannot be reached, the bot is not registered yet, or a disk is full or dead, here or there.',
}

const errorCodes = Object.keys(errorTexts) as ApiErrorCode[]

const errorResponse = (code: ApiErrorCode) => ({
  ...(code === 'unavailable' && {
    headers: { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } } },
  }),
  ...errorOf(`\`${code}\`: ${errorTexts[code]}`),
})

function errorOf(description: string) {
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** What the gateway sends, when it is started with WEBHOOK_URL. */
const webhookOperation = {
  summary: `One update, in order. Any 2xx answer within ${gatewayLimits.webhookAnswerWithinMs / 1000} seconds means delivered; everything else, a connection that is refused or reset too, is a failed attempt and tried again after 1, 2, 4 … 300 seconds.`,
  tags: ['Updates'],
  parameters: [
    header('X-Service-Signature', '`sha256=` and the hexadecimal HMAC-SHA256 of the exact body under WEBHOOK_SECRET.'),
    header('webhook-id', 'The same at every attempt for one update.'),
    header('webhook-timestamp', 'Seconds since 1970 at this attempt.'),
    header(
      'webhook-signature',
      '`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots (Standard Webhooks). The key is WEBHOOK_SECRET; of a secret that begins with `whsec_`, the bytes that the rest is the base64 of.',
    ),
  ],
  requestBody: { required: true, content: { 'application/json': { schema: jsonSchemaOf(update) } } },
  responses: { '2XX': { description: 'Delivered.' } },
}
