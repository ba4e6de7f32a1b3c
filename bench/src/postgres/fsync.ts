// The time that the disk behind the temporary directory needs to make a kilobyte durable.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { median } from '../figures.ts'

const TIMES = 200

export async function fsyncMs(directory: string): Promise<number> {
  await using file = await open(join(directory, 'fsync'), 'w')
  const bytes = new Uint8Array(1024)
  const tookMs: number[] = []
  for (let at = 0; at < TIMES; at++) {
    const startedMs = performance.now()
    await file.write(bytes)
    await file.datasync()
    tookMs.push(performance.now() - startedMs)
  }
  return median(tookMs)
}
