// Names the app's own scripts for its policy. 'self' would name the whole relay, blobs included.
import type { AppFiles } from './app-files.ts'

const FOLDER = '/assets/'

/**
 * A policy can name paths only after a host, so this uses the hosts that clients know. A browser that used another
 * host, or an IPv6 address, which a policy cannot name, gets 'self'.
 */
export function scriptSources(files: AppFiles, hosts: ReadonlySet<string>, host = ''): string {
  if (!hosts.has(host.toLowerCase()) || host.startsWith('[')) return "'self'"
  const paths = scriptPaths(files)
  return [...hosts]
    .filter(each => !each.startsWith('['))
    .flatMap(each => paths.map(path => each + path))
    .join(' ')
}

const known = new WeakMap<AppFiles, readonly string[]>()

/** Names the folder of assets as a whole: it contains only the app's files. */
function scriptPaths(files: AppFiles): readonly string[] {
  const paths = known.get(files) ?? [
    FOLDER,
    ...[...files.keys()].filter(path => path.endsWith('.js') && !path.startsWith(FOLDER)),
  ]
  known.set(files, paths)
  return paths
}
