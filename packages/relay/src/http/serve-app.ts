// Serves a file of the web app, with headers that isolate the page from other origins.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AppFile, type AppFiles, type ContentCoding, codings } from './app-files.ts'
import { scriptSources } from './script-sources.ts'

/** No foreign sources, no inline code, no eval except WebAssembly's; sockets and requests to this origin and `relay`. */
const policyFor = (scripts: string, relay: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src ${scripts} 'wasm-unsafe-eval'`,
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...relay].join(' '),
    `worker-src ${scripts}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types postern',
  ].join('; ')

/** Set on every file, not only on the page: a worker gets its policy from its own script. */
const closed = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': 'camera=(self), microphone=(self), display-capture=(), geolocation=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const FOR_A_YEAR = 'public, max-age=31536000, immutable'
/** Cached but revalidated each time: otherwise yesterday's page would request assets that are gone. */
const ASKED_AGAIN = 'no-cache'

export type ServedApp = {
  files: AppFiles
  hosts: ReadonlySet<string>
  /** The relay as sources of a policy, if another server than the relay serves the app. */
  relay?: readonly string[]
}

/** Returns false if the app has no such file. */
export function serveApp(app: ServedApp, request: IncomingMessage, response: ServerResponse): boolean {
  const { files, hosts, relay = [] } = app
  const file = files.get(pathOf(request))
  if (!file) return false
  const coding = codingFor(file, request.headers['accept-encoding'] ?? '')
  const etag = `"${file.etag}${coding ? `-${coding}` : ''}"`
  // This is the relay's only answer that a browser may open.
  response.removeHeader('Content-Disposition')
  const headers = {
    ...closed,
    'Content-Security-Policy': policyFor(scriptSources(files, hosts, request.headers.host), relay),
    'Cache-Control': file.isHashed ? FOR_A_YEAR : ASKED_AGAIN,
    ETag: etag,
    Vary: 'Accept-Encoding',
  }
  if (isKnown(etag, request.headers['if-none-match'])) {
    response.writeHead(304, headers).end()
    return true
  }
  const body = (coding && file.packed[coding]) ?? file.plain
  const packing = coding && { 'Content-Encoding': coding }
  response.writeHead(200, { ...headers, ...packing, 'Content-Type': file.type, 'Content-Length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
  return true
}

/** The path as sent: without decoding or resolving, no spelling leads out of the folder. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/'

/** Chooses among the codings that the browser accepts and the folder contains. */
function codingFor({ packed }: AppFile, accepted: string): ContentCoding | undefined {
  const taken = new Set(accepted.toLowerCase().split(',').flatMap(nameUnlessRefused))
  return codings.find(({ name }) => packed[name] && taken.has(name))?.name
}

/** `br;q=0` means that the browser does not accept it. */
function nameUnlessRefused(item: string): string[] {
  const [name = '', weight = ''] = item.split(';').map(part => part.trim())
  return /^q=0(\.0*)?$/.test(weight) ? [] : [name]
}

/** A proxy that compresses the answer makes the tag weak, but it still names the same bytes. */
const isKnown = (etag: string, known: string | undefined): boolean =>
  (known ?? '')
    .split(',')
    .map(tag => tag.trim().replace(/^W\//, ''))
    .some(tag => tag === etag || tag === '*')
