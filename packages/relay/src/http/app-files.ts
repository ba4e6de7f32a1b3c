// The files of the web app, read once from the built folder and kept by their request paths.
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { CodedError, isCoded, relayFixedLimits, systemCodeOf } from '@postern/protocol'

/** Content codings, the best first. A packed file is beside the plain one, with this ending added to its name. */
export const codings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const
export type ContentCoding = (typeof codings)[number]['name']

export type AppFile = {
  readonly type: string
  readonly etag: string
  /** Its name changes with its bytes. */
  readonly isHashed: boolean
  readonly plain: Uint8Array
  readonly packed: Readonly<Partial<Record<ContentCoding, Uint8Array>>>
}

/** Keyed by path, as a browser writes it. Files that are not in the map are not served. */
export type AppFiles = ReadonlyMap<string, AppFile>

const PAGE = 'index.html'
const HASHED = '/assets/'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
}

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: '--app', rule })

/** Throws `bad-field` that names `--app` if the folder contains no app. */
export function readAppFiles(directory: string): AppFiles {
  try {
    return filesIn(directory)
  } catch (error) {
    if (isCoded(error)) throw error
    throw wrong(`"${directory}" cannot be read (${systemCodeOf(error) ?? String(error)})`)
  }
}

function filesIn(directory: string): AppFiles {
  const bytesOf = bytesIn(directory)
  const files = new Map<string, AppFile>()
  for (const [name, plain] of bytesOf) {
    if (isPacked(name, bytesOf)) continue
    const path = encodeURI(`/${name.split(sep).join('/')}`)
    const packed = Object.fromEntries(
      codings.flatMap(({ name: coding, ending }) => {
        const bytes = bytesOf.get(name + ending)
        return bytes ? [[coding, bytes]] : []
      }),
    )
    files.set(path, {
      type: types[extname(name)] ?? 'application/octet-stream',
      etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
      isHashed: path.startsWith(HASHED),
      plain,
      packed,
    })
  }
  const page = files.get(`/${PAGE}`)
  if (page) files.set('/', page)
  return files
}

/** Bounded: a folder named by mistake must not be read into memory. */
function bytesIn(directory: string): Map<string, Uint8Array> {
  const { appBytesMax } = relayFixedLimits
  const found = new Map<string, Uint8Array>()
  let bytes = 0
  for (const name of namesIn(directory)) {
    const path = join(directory, name)
    bytes += statSync(path).size
    if (bytes > appBytesMax) throw wrong(`the files of "${directory}" have more than ${appBytesMax} bytes`)
    found.set(name, readFileSync(path))
  }
  return found
}

const isPacked = (name: string, all: ReadonlyMap<string, unknown>): boolean =>
  codings.some(({ ending }) => name.endsWith(ending) && all.has(name.slice(0, -ending.length)))

function namesIn(directory: string): string[] {
  const top = readdirSync(directory, { withFileTypes: true })
  if (!top.some(entry => entry.name === PAGE && entry.isFile()))
    throw wrong(`"${directory}" has no ${PAGE}. Name the folder of the built app, or off`)
  const { appFilesMax } = relayFixedLimits
  const names: string[] = []
  const rest: Dirent[] = top
  for (let entry = rest.pop(); entry; entry = rest.pop()) {
    // Hidden files, such as .git, are never meant to be published.
    if (entry.name.startsWith('.')) continue
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) rest.push(...readdirSync(path, { withFileTypes: true }))
    else if (entry.isFile()) names.push(relative(directory, path))
    if (names.length + rest.length > appFilesMax) throw wrong(`"${directory}" has more than ${appFilesMax} files`)
  }
  return names.sort()
}
