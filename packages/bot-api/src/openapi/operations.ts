// Turns an endpoint of the table into an operation of the document.
import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { apiStatuses } from '../errors.ts'
import type { ApiErrorCode } from '../objects.ts'
import { type Example, exampleOf } from './examples.ts'
import { fileAnswers, fileHeadAnswers } from './file-answers.ts'
import { requestName } from './named-schemas.ts'
import { binary, jsonSchemaOf, referenceTo, shown } from './schemas.ts'
import type { JsonSchema, OpenapiContent, OpenapiOperation, OpenapiResponse, Parameter } from './shapes.ts'

const JSON_TYPE = 'application/json'

export function operationOf(name: string, endpoint: Endpoint): OpenapiOperation {
  const parameters = parametersOf(endpoint)
  const example = exampleOf(name)
  return {
    operationId: name,
    summary: endpoint.summary,
    description: endpoint.description + needsOf(endpoint),
    tags: [endpoint.section],
    ...(endpoint.open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...requestOf(name, endpoint, example),
    responses: { ...answersOf(endpoint, example), ...errorsOf(endpoint) },
  }
}

/** `security` can name scopes for OAuth alone in OpenAPI 3.0, so they are words. */
const needsOf = ({ scopes = [] }: Endpoint): string =>
  scopes.length === 0 ? '' : ` Scope: ${scopes.map(scope => `\`${scope}\``).join(' and ')}.`

/** HEAD is answered wherever GET is. For a file it deserves an operation of its own: it returns the size and the type. */
export function fileHeadOf(endpoint: Endpoint): OpenapiOperation {
  const { parameters = [], ...operation } = operationOf('headFile', endpoint)
  return {
    ...operation,
    summary: 'Look at a file',
    description: 'The headers of a file: the answer of GET without a body.',
    parameters: parameters.filter(({ name }) => !name.includes('range')),
    responses: { ...fileHeadAnswers, ...errorsOf(endpoint) },
  }
}

const places = { params: 'path', query: 'query', headers: 'header' } as const

/** OpenAPI: such a definition "SHALL be ignored"; the media types of the body replace it. */
const saidElsewhere = new Set(['accept', 'authorization', 'content-type'])

function parametersOf(endpoint: Endpoint): Parameter[] {
  return (Object.keys(places) as (keyof typeof places)[]).flatMap(part =>
    Object.entries(endpoint[part]?.shape ?? {})
      .filter(([name]) => !saidElsewhere.has(name))
      .map(([name, schema]) => {
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

function requestOf(
  name: string,
  { body, upload, form }: Endpoint,
  { request }: Example,
): Pick<OpenapiOperation, 'requestBody'> {
  const schema = { $ref: referenceTo(requestName(name)) }
  if (form) return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
  if (upload)
    return {
      requestBody: {
        required: true,
        description: `At most ${upload.bytesMax} bytes.`,
        content: Object.fromEntries(upload.types.map(type => [type, bytesOf(type, request)])),
      },
    }
  if (!body) return {}
  const required = !z.safeParse(body, undefined).success
  return { requestBody: { required, content: { [JSON_TYPE]: { schema, ...shown(request) } } } }
}

/** An empty schema becomes `unknown` in a client, and its bytes are lost. */
function bytesOf(type: string, example: unknown): OpenapiContent[string] {
  if (type === JSON_TYPE) return { schema: { type: 'object', additionalProperties: true }, ...shown(example) }
  return { schema: type.startsWith('text/') ? { type: 'string' } : binary }
}

function answersOf({ answer, answerType, answerHeaders }: Endpoint, example: Example): OpenapiOperation['responses'] {
  if (answerType === '*/*') return fileAnswers
  const schema: JsonSchema = jsonSchemaOf(answer)
  return {
    200: {
      description: 'Done.',
      ...(answerHeaders && { headers: answerHeaders }),
      content: { [answerType ?? JSON_TYPE]: { schema, ...shown(example.answer) } },
    },
  }
}

function errorsOf(endpoint: Endpoint): Record<string, OpenapiResponse> {
  const statusOf = (code: ApiErrorCode): number => endpoint.statuses?.[code] ?? apiStatuses[code]
  return Object.fromEntries(
    errorCodesOf(endpoint).map(code => [statusOf(code), { $ref: `#/components/responses/${code}` }]),
  )
}

function errorCodesOf(endpoint: Endpoint): ApiErrorCode[] {
  return [
    // Even without any input: a body may be too large, or the request may not be HTTP.
    'bad_request',
    ...(endpoint.open ? [] : (['unauthorized', 'forbidden'] as const)),
    ...(endpoint.params ? (['not_found'] as const) : []),
    'internal',
    'unavailable',
    ...(Object.keys(endpoint.statuses ?? {}) as ApiErrorCode[]),
  ]
}
