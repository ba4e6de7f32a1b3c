// The OpenAPI document must describe everything that a gateway answers in any test: status, error code, and every field
// of the body.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Endpoint, OpenapiDocument } from '@postern/bot-api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { afterAll, expect } from 'vitest'

export type Seen = { method: string; path: `/${string}`; status: number; json?: unknown }
type Api = { document: OpenapiDocument; endpoints: Endpoint[] }

let loaded: Api | undefined

/** Loaded when a gateway first answers: most test files have none. */
async function load(): Promise<Api> {
  const { endpoints, makeOpenapi } = await import('@postern/bot-api')
  return (loaded ??= { document: makeOpenapi({ version: '1' }), endpoints: Object.values(endpoints) })
}

/** The difference between an answer and the document; undefined if there is none. */
export async function complaintAbout(seen: Seen): Promise<string | undefined> {
  const { document, endpoints } = await load()
  const { path, status, json } = seen
  // HEAD is answered wherever GET is, and not listed.
  const method = seen.method === 'HEAD' ? 'GET' : seen.method
  const what = `${method} ${path} ${status}`
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[status]
  if (!response) return `${what}: no such status in the document`
  if (json === undefined) return undefined
  if (status >= 400) return codeComplaint(what, JSON.stringify(response), json)
  const endpoint = endpoints.find(one => one.method === method && one.path === path)
  const parsed = endpoint?.answer.safeParse(json)
  if (!parsed?.success) return `${what}: ${parsed?.error.message ?? 'no such endpoint'}`
  // The schema drops unknown fields.
  const isWhole = JSON.stringify(sorted(parsed.data)) === JSON.stringify(sorted(json))
  return isWhole ? undefined : `${what}: fields that the document does not have in ${JSON.stringify(json)}`
}

function codeComplaint(what: string, response: string, json: unknown): string | undefined {
  const { code } = json as { code?: string }
  const isNamed = response.includes(`#/components/responses/${code}"`) || response.includes(`\`${code}\``)
  return isNamed ? undefined : `${what}: the code ${code} is not in the document`
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

const complaints = new Set<string>()
const judged: Promise<void>[] = []
const bodies = new WeakMap<FastifyRequest, string>()

/** Those tests have their own handlers, which answer anything. */
const hasOwnHandlers = () => /\bhttp-(server|edges)\.test\.ts$/.test(expect.getState().testPath ?? '')

function jsonOf(request: FastifyRequest, { status, type }: { status: number; type: unknown }): unknown {
  const body = bodies.get(request)
  if (body === undefined || !String(type).startsWith('application/json')) return undefined
  return status < 400 && hasOwnHandlers() ? undefined : (JSON.parse(body) as unknown)
}

// Called for every server in this process, before it has a route.
function watch(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onSend', async (request, _, payload) => {
    if (typeof payload === 'string') bodies.set(request, payload)
  })
  fastify.addHook('onResponse', async (request, reply) => {
    const { url } = request.routeOptions
    // The reference page and the console are for people, and not part of the API that they describe.
    if (request.is404 || url === undefined || /^\/(reference|console)/.test(url)) return
    // The Telegram Bot API has documents of its own.
    if (/^(\/file)?\/bot\*/.test(url)) return
    // So has the Model Context Protocol.
    if (url === '/mcp') return
    const path = url.replaceAll(/:(\w+)/g, '{$1}') as `/${string}`
    const { statusCode: status, raw } = reply
    const json = jsonOf(request, { status, type: raw.getHeader('content-type') })
    const judging = complaintAbout({ method: request.method, path, status, json })
    judged.push(judging.then(complaint => void (complaint && complaints.add(complaint))))
  })
}

subscribe('fastify.initialization', watch)

afterAll(async () => {
  // The next file of this process subscribes again, and must not check every answer twice.
  unsubscribe('fastify.initialization', watch)
  await Promise.all(judged.splice(0))
  expect([...complaints], 'answers that the OpenAPI document does not have').toEqual([])
})
