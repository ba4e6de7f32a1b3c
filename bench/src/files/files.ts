// Files of the largest size, up and down and four concurrently, compared with the same bytes encrypted into one file;
// and a photo with its preview.
import { join } from 'node:path'
import { inTurn, median } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { encryptedCopy } from './encrypted-copy.ts'
import { getFile, postFile } from './file-api.ts'
import { makeNoise } from './noise.ts'
import { measurePhoto } from './photo.ts'
import { type Peaks, Scene } from './scene.ts'

const ROUNDS = 1
const FILE_MIB = 300
const FILE_BYTES = FILE_MIB * 2 ** 20
const AT_ONCE = 4
const goalMib = { one: 64, atOnce: 128 }

type Rates = Record<'ceiling' | 'up' | 'personFirst' | 'personAgain' | 'downFirst' | 'downAgain', number[]>
type Memory = { up: Peaks[]; down: Peaks[] }
type Place = { scene: Scene; path: string; copy: string }

export const measureFiles = (): Promise<Row[]> =>
  inScratch(async directory => {
    const place = { scene: await Scene.open(directory), path: join(directory, 'noise'), copy: join(directory, 'copy') }
    await makeNoise(place.path, FILE_BYTES)
    const rates: Rates = { ceiling: [], up: [], personFirst: [], personAgain: [], downFirst: [], downAgain: [] }
    const memory: Memory = { up: [], down: [] }
    const ceiling = async () => void rates.ceiling.push(await rateOf(() => encryptedCopy(place.path, place.copy)))
    await inTurn(ROUNDS, [ceiling, () => oneFile(place, rates, memory), ceiling])
    const four = await fourFiles(place)
    const photo = await measurePhoto(place.scene, directory)
    await place.scene.close()
    return [...rateRows(rates, four), ...memoryRows(memory, four), ...photo]
  })

async function oneFile({ scene, path }: Place, rates: Rates, memory: Memory): Promise<void> {
  const { chat } = scene.person.state
  let message = ''
  const post = async () => void (message = await postFile(scene.server, { chat, path, kind: 'file' }))
  const get = async () => assertWhole(await getFile(scene.server, chat, message))
  const personReads = async () => mibPerSec(await scene.person.ask<number>('readFile', message))
  await scene.restart('kept')
  memory.up.push(await scene.peaksMib(async () => void rates.up.push(await rateOf(post))))
  rates.personFirst.push(await personReads())
  rates.personAgain.push(await personReads())
  await scene.restart('forgotten')
  memory.down.push(await scene.peaksMib(async () => void rates.downFirst.push(await rateOf(get))))
  rates.downAgain.push(await rateOf(get))
}

type Four = { up: { rate: number; peaks: Peaks }; down: { rate: number; peaks: Peaks } }

async function fourFiles({ scene, path }: Place): Promise<Four> {
  const { chat } = scene.person.state
  let messages: string[] = []
  const post = async () => {
    const posting = Array.from({ length: AT_ONCE }, () => postFile(scene.server, { chat, path, kind: 'file' }))
    messages = await Promise.all(posting)
  }
  const get = async () => {
    for (const bytes of await Promise.all(messages.map(id => getFile(scene.server, chat, id)))) assertWhole(bytes)
  }
  const measure = async (work: () => Promise<void>) => {
    let rate = 0
    const peaks = await scene.peaksMib(async () => void (rate = (await rateOf(work)) * AT_ONCE))
    return { rate, peaks }
  }
  await scene.restart('kept')
  const up = await measure(post)
  await scene.restart('forgotten')
  return { up, down: await measure(get) }
}

const mibPerSec = (tookMs: number): number => (FILE_MIB * 1000) / tookMs

/** For one file, in MiB a second. */
async function rateOf(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return mibPerSec(performance.now() - startedMs)
}

function assertWhole(bytes: number): void {
  if (bytes !== FILE_BYTES) throw new Error(`${bytes} bytes came, not ${FILE_BYTES}`)
}

function rateRows(rates: Rates, { up, down }: Four): Row[] {
  const ceiling = median(rates.ceiling)
  const row = (what: string, ours: number): Row => ({
    what: `file of ${FILE_MIB} MB, ${what}`,
    ours,
    unit: 'MB/s',
    peer: { what: 'AES-GCM into a synced file', figure: ceiling, better: 'more' },
  })
  return [
    row('posted', median(rates.up)),
    row('fetched by a person', median(rates.personFirst)),
    row('read by them again', median(rates.personAgain)),
    row('downloaded first', median(rates.downFirst)),
    row('downloaded again', median(rates.downAgain)),
    row(`${AT_ONCE} posted at once`, up.rate),
    row(`${AT_ONCE} downloaded at once`, down.rate),
  ]
}

function memoryRows(memory: Memory, { up, down }: Four): Row[] {
  const row = (what: string, peaks: Peaks[], goal: number): Row[] =>
    (['gateway', 'relay'] as const).map(role => ({
      what: `RSS of ${role} above idle, ${what}`,
      ours: Math.max(...peaks.map(peak => peak[role])),
      unit: 'MiB',
      ...(role === 'gateway' && { peer: { what: 'the most it may', figure: goal, better: 'less' as const } }),
    }))
  return [
    ...row('file posted', memory.up, goalMib.one),
    ...row('file downloaded', memory.down, goalMib.one),
    ...row(`${AT_ONCE} posted at once`, [up.peaks], goalMib.atOnce),
    ...row(`${AT_ONCE} downloaded at once`, [down.peaks], goalMib.atOnce),
  ]
}
