// Writes the data of a short life in the present version, for the tests of later ones: once before each release.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { World } from '@postern/testkit'
import manifest from '../../package.json' with { type: 'json' }
import { leave, livedClock } from './stored-life.ts'

const clock = livedClock()
const world = await World.start({ relayClock: clock })
try {
  copyFileSync(await leave(world, clock), join(import.meta.dirname, `${manifest.version}.tgz`))
} finally {
  await world.stop()
}
