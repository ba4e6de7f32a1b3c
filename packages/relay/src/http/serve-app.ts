// Answers with a file of the web app, under the headers that keep the page closed to everybody else.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AppFile, type AppFiles, type ContentCoding, codings } from './app-files.ts'
import { scriptSources } from './script-sources.ts'

/** Nothing from elsewhere, nothing inline, no eval but WebAssembly's; sockets and requests to this origin alone. */
const policyFor = (scripts: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts} 'wasm-unsafe-eval'`,
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    `worker-src ${scripts}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types postern',
  ].join('; ')

/** On every file, not on the page alone: a worker has the policy that its own script came with. */
const closed = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': 'camera=(self), microphone=(self), display-capture=(), geolocation=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const FOR_A_YEAR = 'public, max-age=31536000, immutable'
/** Kept, but asked for again each time: else a page of yesterday asks for assets that are gone. */
const ASKED_AGAIN = 'no-cache'

export type ServedApp = { files: AppFiles; hosts: ReadonlySet<string> }

/** False: the app has no such file. */
export function serveApp({ files, hosts }: ServedApp, request: IncomingMessage, response: ServerResponse): boolean {
  const file = files.get(pathOf(request))
  if (!file) return false
  const coding = codingFor(file, request.headers['accept-encoding'] ?? '')
  const etag = `"${file.etag}${coding ? `-${coding}` : ''}"`
  // Of all that the relay answers, a browser may open this alone.
  response.removeHeader('Content-Disposition')
  const headers = {
    ...closed,
    'Content-Security-Policy': policyFor(scriptSources(files, hosts, request.headers.host)),
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

/** As it was sent: nothing is decoded or resolved, so that no spelling leads out of the folder. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/'

/** Of those that the browser takes and the folder has. */
function codingFor({ packed }: AppFile, accepted: string): ContentCoding | undefined {
  const taken = new Set(accepted.toLowerCase().split(',').flatMap(nameUnlessRefused))
  return codings.find(({ name }) => packed[name] && taken.has(name))?.name
}

/** `br;q=0` says that it is not taken. */
function nameUnlessRefused(item: string): string[] {
  const [name = '', weight = ''] = item.split(';').map(part => part.trim())
  return /^q=0(\.0*)?$/.test(weight) ? [] : [name]
}

/** A proxy that packs by itself makes a tag weak: it still names the same bytes. */
const isKnown = (etag: string, known: string | undefined): boolean =>
  (known ?? '')
    .split(',')
    .map(tag => tag.trim().replace(/^W\//, ''))
    .some(tag => tag === etag || tag === '*')
