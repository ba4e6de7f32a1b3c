// An operator's client for files: a form whose file is streamed from the disk, and bytes that are counted as they arrive.
import { once } from 'node:events'
import { open, stat } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { PersonState } from '../processes/person.ts'

const BOUNDARY = 'a-boundary-that-stands-in-no-noise'
const READ_BYTES = 1024 * 1024

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
  const [answer] = await Promise.all([promise, sendForm(sent, { head, path, tail })])
  const text = Buffer.concat(await answer.toArray()).toString()
  if (answer.statusCode !== 200) throw new Error(`POST files: ${answer.statusCode} ${text}`)
  return (JSON.parse(text) as { id: string }).id
}

type Form = { head: string; path: string; tail: string }

/** With as little work as possible: processor time of the sender is missing to the measured processes on two cores. */
async function sendForm(sent: ClientRequest, { head, path, tail }: Form): Promise<void> {
  sent.write(head)
  const file = await open(path)
  const buffer = Buffer.alloc(READ_BYTES)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES)
    if (bytesRead === 0) break
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    sent.write(buffer.subarray(0, bytesRead), error => (error ? reject(error) : resolve()))
    await promise
  }
  await file.close()
  sent.end(tail)
}

/** The number of received bytes. */
export async function getFile({ url, token }: Server, chat: string, message: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { authorization: `Bearer ${token}` }
  request(new URL(`/v1/chats/${chat}/messages/${message}/file`, url), { headers }, resolve)
    .on('error', reject)
    .end()
  const answer = await promise
  let bytes = 0
  answer.on('data', (part: Buffer) => void (bytes += part.length))
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`GET file: ${answer.statusCode}`)
  return bytes
}
