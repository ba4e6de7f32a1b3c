// A large photo with its preview, compared with the same bytes as a file.
import { join } from 'node:path'
import { inTurn, median, timesMs } from '../figures.ts'
import type { Row } from '../table.ts'
import { postFile, type Upload } from './file-api.ts'
import { makePhoto } from './noise.ts'
import type { Scene } from './scene.ts'

const ROUNDS = 3

type Kind = Upload['kind']

export async function measurePhoto(scene: Scene, directory: string): Promise<Row[]> {
  const path = join(directory, 'photo.jpg')
  const name = `photo of ${Math.round(await makePhoto(path))} MB`
  const post = (kind: Kind) => postFile(scene.server, { chat: scene.person.state.chat, path, kind })
  const peaksMib: Record<Kind, number> = { photo: 0, file: 0 }
  for (const kind of ['file', 'photo'] as const) {
    await scene.restart('kept')
    peaksMib[kind] = (await scene.peaksMib(async () => void (await post(kind)))).gateway
  }
  const times: Record<Kind, number[]> = { photo: [], file: [] }
  await inTurn(ROUNDS, [
    async () => void times.photo.push(...(await timesMs(1, () => post('photo')))),
    async () => void times.file.push(...(await timesMs(1, () => post('file')))),
  ])
  const peer = (figure: number) => ({ what: 'the same as a file', figure, better: 'less' as const })
  return [
    { what: `${name}, posted`, ours: median(times.photo), unit: 'ms', peer: peer(median(times.file)) },
    { what: `RSS of gateway above idle, ${name}`, ours: peaksMib.photo, unit: 'MiB', peer: peer(peaksMib.file) },
  ]
}
