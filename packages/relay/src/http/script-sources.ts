// Names the app's own scripts for its policy. 'self' would name the whole relay, blobs included.
import type { AppFiles } from './app-files.ts'

const FOLDER = '/assets/'

/**
 * A policy names paths only behind a host, so this takes the hosts by which clients know the relay. A browser that came by
 * another host, or by an IPv6 address, which a policy cannot name, gets 'self'.
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

/** The folder of assets as a whole: only the app's files are served from it. */
function scriptPaths(files: AppFiles): readonly string[] {
  const paths = known.get(files) ?? [
    FOLDER,
    ...[...files.keys()].filter(path => path.endsWith('.js') && !path.startsWith(FOLDER)),
  ]
  known.set(files, paths)
  return paths
}
