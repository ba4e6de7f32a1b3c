// Traces that files leave at the relay and in the data directory of the gateway.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, SOON } from './api.ts'

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

export async function nothingIsLeft(world: World): Promise<void> {
  await expect.poll(() => filesOfGateway(world), SOON).toEqual([])
  await expect.poll(() => blobsAtRelay(world), SOON).toEqual([])
}

/** One of the gateway's own metrics. */
export async function figure(api: Api, name: string): Promise<number> {
  const figures = await (await api.get('/v1/metrics')).text()
  const line = figures.split('\n').find(one => one.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}
