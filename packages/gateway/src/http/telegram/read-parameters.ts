// The parameters of a request to the Telegram Bot API: in the query, as JSON, or as a form with or without files.
import { type Clock, contentLimits, copyBytes, fromUtf8, gatewayLimits } from '@postern/protocol'
import { badRequest, Parameters, type UploadedFile, type UploadedForm } from '@postern/telegram'
import type { FastifyRequest } from 'fastify'
import { badField } from '../errors.ts'
import { boundaryOf } from '../forms/forms.ts'
import { readParts } from '../forms/parts.ts'
import { bodyOf, forgetRest } from '../uploads.ts'

export type ReadRequest = {
  read: () => Promise<{ parameters: Parameters; form: UploadedForm | undefined }>
  /** Discards the unread rest. */
  leave: () => void
}

const FILES_MAX = contentLimits.fileBytesMax + gatewayLimits.formAroundFileBytesMax

/** Nothing of the body is read before `read`. */
export function readRequest(request: FastifyRequest, { query, clock }: { query: string; clock: Clock }): ReadRequest {
  const type = (request.headers['content-type'] ?? '').toLowerCase()
  const isForm = type.startsWith('multipart/form-data')
  const bytesMax = isForm ? FILES_MAX : gatewayLimits.jsonBodyBytesMax
  const tooMany = () => badField('body', `must have at most ${bytesMax} bytes`)
  const bytes = bodyOf(request, { clock, bytesMax, tooMany, pieces: isForm ? 'brief' : 'kept' })
  const inQuery = Object.fromEntries(new URLSearchParams(query))
  const read = async () => {
    if (request.method === 'GET') return { parameters: new Parameters(inQuery), form: undefined }
    const length = Number(request.headers['content-length'])
    return await parametersOf({ bytes, type: request.headers['content-type'] ?? '', length, inQuery })
  }
  return { read, leave: () => void bytes.return(undefined).finally(() => forgetRest(request, { clock })) }
}

export type IncomingParameters = {
  bytes: AsyncIterableIterator<Uint8Array, undefined>
  /** The Content-Type. */
  type: string
  /** NaN if it is unknown. */
  length: number
  inQuery: Record<string, string>
}

export async function parametersOf(
  incoming: IncomingParameters,
): Promise<{ parameters: Parameters; form: UploadedForm | undefined }> {
  const { bytes, inQuery } = incoming
  const type = incoming.type.toLowerCase()
  if (!type.startsWith('multipart/form-data'))
    return { parameters: new Parameters({ ...inQuery, ...parseBody(await wholeOf(bytes), type) }), form: undefined }
  const form = openForm(incoming)
  // Only a method that sends a file reads it; the others have all their fields now.
  let kept: UploadedFile | undefined = await form.nextFile()
  const nextFile = async () => {
    const file = kept ?? (await form.nextFile())
    kept = undefined
    return file
  }
  return { parameters: new Parameters(form.fields()), form: { ...form, nextFile } }
}

async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return textOf(Buffer.concat(chunks))
}

function textOf(bytes: Uint8Array): string {
  try {
    return fromUtf8(bytes)
  } catch {
    throw badRequest('strings must be encoded in UTF-8')
  }
}

/** A body without a type is JSON if it looks like JSON. */
function parseBody(text: string, type: string): object {
  if (text.trim() === '') return {}
  const isJson = type.startsWith('application/json') || (!type.includes('form') && text.trimStart().startsWith('{'))
  if (!isJson) return Object.fromEntries(new URLSearchParams(text))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest("can't parse the body as JSON")
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body must be a JSON object')
  return value
}

function openForm({ bytes, type, length, inQuery }: IncomingParameters): UploadedForm {
  const parts = readParts(bytes, boundaryOf(type))
  const fields = new Map(Object.entries(inQuery))
  return {
    bytesHint: Number.isSafeInteger(length) ? length : undefined,
    fields: () => Object.fromEntries(fields),
    nextFile: async () => {
      for (;;) {
        const { value: part } = await parts.next()
        if (!part) return undefined
        const { name: field, fileName, type: declaredType } = part
        if (fileName !== undefined) return { field, name: fileName, declaredType, bytes: part.bytes }
        fields.set(field, await fieldText(field, part.bytes))
      }
    },
  }
}

async function fieldText(name: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > gatewayLimits.formFieldBytesMax)
      throw badField(name, `must have at most ${gatewayLimits.formFieldBytesMax} bytes`)
    chunks.push(copyBytes(chunk))
  }
  return textOf(Buffer.concat(chunks))
}
