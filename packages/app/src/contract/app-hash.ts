// One hash over all files of a built app: the page computes it from the files that it was served, and `postern app --hash`
// from an installation or a relay. It is the hash of the list that `sha256sum` would print.

export type AppHash = {
  /** The hash of the sources, which the files themselves contain. */
  build: string
  hash: string
  /** By name: the hash of each file. */
  files: ReadonlyMap<string, string>
}

const LIST = 'files.json'
/** The browser requests it outside of the page, so the list of files to store does not contain it. */
const SERVICE_WORKER = 'sw.js'
const FILES_MAX = 2_000

/** A server of the app that is not its relay names the relay in these files: without that name they are as built. */
const namingRelay = new Set(['index.html', SERVICE_WORKER])
const RELAY = /data-relay="[^"]*"/

/** `read`: the bytes of a file, by its name. Rejects for a list that is none. */
export async function hashApp(read: (name: string) => Promise<Uint8Array<ArrayBuffer>>): Promise<AppHash> {
  const list = await read(LIST)
  const { build, names } = readList(list)
  const hashes = await Promise.all(
    [...names, SERVICE_WORKER].map(async name => [name, await sha256(asBuilt(name, await read(name)))] as const),
  )
  const files = new Map(
    [...hashes, [LIST, await sha256(list)] as const].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  return { build, files, hash: await sha256(new TextEncoder().encode(sumsOf(files))) }
}

/** As `sha256sum` prints and checks them. */
export const sumsOf = (files: ReadonlyMap<string, string>): string =>
  [...files].map(([name, hash]) => `${hash}  ${name}\n`).join('')

function readList(bytes: Uint8Array): { build: string; names: string[] } {
  const { build, files } = JSON.parse(new TextDecoder().decode(bytes)) as { build?: unknown; files?: unknown }
  const isList = Array.isArray(files) && files.length <= FILES_MAX
  if (typeof build !== 'string' || !isList || !files.every(isPath)) throw new Error(`${LIST} is not a list of files`)
  return { build, names: files.map(path => (path === '/' ? 'index.html' : path.slice(1))) }
}

const isPath = (path: unknown): path is string => typeof path === 'string' && /^\/(?!\/)[\w./-]*$/.test(path)

function asBuilt(name: string, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (!namingRelay.has(name)) return bytes
  return new TextEncoder().encode(new TextDecoder().decode(bytes).replace(RELAY, 'data-relay=""'))
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
