// What files leave behind: at the relay, and in the data directory of the gateway.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '@postern/testkit'

const filesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

/** The paths of all blobs that the relay keeps. */
export const blobsAtRelay = (world: World): string[] => filesIn(join(world.directory, 'relay', 'blobs'))

/** The paths of everything that the gateway keeps, apart from its databases and its key. */
export const filesOfGateway = (world: World): string[] =>
  filesIn(join(world.directory, 'gateway')).filter(
    path => !/\/(db\.key|[\w-]+\.(db|sqlite)[\w-]*|[\w.-]*lock)$/.test(path),
  )
