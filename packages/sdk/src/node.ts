// For Node alone: its HTTP server, and files on its disk.
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { FileSource } from './files.ts'
import type { Store } from './session.ts'
import type { WebhookHandler } from './webhook.ts'

/** A webhook for `http.createServer`, Express and Fastify. It must read the body itself, or find it in `rawBody`. */
export function toNodeHandler(webhook: WebhookHandler): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    carry(webhook, request).then(
      async answer => {
        response.writeHead(answer.status, { 'content-type': 'text/plain; charset=utf-8' }).end(await answer.text())
      },
      (error: unknown) => {
        // oxlint-disable-next-line no-console -- the gateway repeats the update, and its operator must learn why
        console.error('webhook failed:', error)
        response.writeHead(500).end()
      },
    )
  }
}

async function carry(webhook: WebhookHandler, request: IncomingMessage & { rawBody?: Uint8Array }): Promise<Response> {
  const { rawBody } = request
  if (request.readableEnded && rawBody === undefined)
    throw new TypeError('A body parser has read the request before the webhook: mount the webhook before the parser.')
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, String(value))
  const { method = 'GET' } = request
  if (method !== 'POST') return await webhook(new Request('http://localhost/', { method: 'GET', headers }))
  const body = rawBody ?? request
  return await webhook(new Request('http://localhost/', { method, headers, body, duplex: 'half' } as RequestInit))
}

/** Sessions as JSON files in a directory. A process that is killed while it writes leaves the previous file. */
export function fileStore<Value>(directory: string): Store<Value> {
  const pathOf = (key: string) => join(directory, `${encodeURIComponent(key)}.json`)
  return {
    get: async key => {
      try {
        return JSON.parse(await readFile(pathOf(key), 'utf8')) as Value
      } catch (error) {
        if ((error as { code?: string }).code === 'ENOENT') return undefined
        throw error
      }
    },
    set: async (key, value) => {
      await mkdir(directory, { recursive: true })
      const next = `${pathOf(key)}.${crypto.randomUUID()}.new`
      await writeFile(next, JSON.stringify(value), { mode: 0o600 })
      await rename(next, pathOf(key))
    },
    delete: key => rm(pathOf(key), { force: true }),
  }
}

/** A file of the disk, opened again for every attempt. */
export const fromPath =
  (path: string): FileSource =>
  () =>
    createReadStream(path)
