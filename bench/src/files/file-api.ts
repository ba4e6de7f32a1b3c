// An operator's client for files: a form whose file is read from the disk as it goes, and bytes that are counted as they come.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { PersonState } from '../processes/person.ts'

const BOUNDARY = 'a-boundary-that-stands-in-no-noise'
const READ_BYTES = 256 * 1024

export type Server = { url: string; token: string }
export type Upload = { chat: PersonState['chat']; path: string; kind: 'photo' | 'file' }

/** The id of the message. */
export async function postFile({ url, token }: Server, { chat, path, kind }: Upload): Promise<string> {
  const head =
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="kind"\r\n\r\n${kind}\r\n` +
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="noise"\r\n\r\n`
  const tail = `\r\n--${BOUNDARY}--\r\n`
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': head.length + (await stat(path)).size + tail.length,
  }
  const sent = request(new URL(`/v1/chats/${chat}/files`, url), { method: 'POST', headers }, resolve)
  sent.on('error', reject)
  const form = async function* () {
    yield head
    yield* createReadStream(path, { highWaterMark: READ_BYTES })
    yield tail
  }
  const [answer] = await Promise.all([promise, pipeline(form, sent)])
  const text = Buffer.concat(await answer.toArray()).toString()
  if (answer.statusCode !== 200) throw new Error(`POST files: ${answer.statusCode} ${text}`)
  return (JSON.parse(text) as { id: string }).id
}

/** How many bytes came. */
export async function getFile({ url, token }: Server, chat: string, message: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { authorization: `Bearer ${token}` }
  request(new URL(`/v1/chats/${chat}/messages/${message}/file`, url), { headers }, resolve)
    .on('error', reject)
    .end()
  const answer = await promise
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) bytes += part.length
  if (answer.statusCode !== 200) throw new Error(`GET file: ${answer.statusCode}`)
  return bytes
}
