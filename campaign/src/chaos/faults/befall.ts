// Applies a fault to its part or link, and reverts it.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Part } from '../parts/part.ts'
import type { Stage } from '../parts/stage.ts'
import type { TcpLink } from '../wire/tcp-link.ts'
import type { Fault } from './schedule.ts'

export type Befallen = {
  stage: Stage
  /** Stops or resumes the reading of updates. */
  setAway: (isAway: boolean) => void
  clockMoves: () => void
  /** Counts an event by its name. */
  count: (what: string) => void
}

/** Before a clock jumps: nobody reads updates for this long. */
const UNREAD_MS = 1500

export async function befall(fault: Fault, befallen: Befallen): Promise<void> {
  const { stage, count } = befallen
  switch (fault.kind) {
    case 'kill': {
      const part = stage.parts[fault.part]
      await part.kill()
      count('kill')
      await pause(fault.downMs)
      return part.start()
    }
    case 'stop':
      stage.parts[fault.part].process.hold()
      count('stop')
      await pause(fault.forMs)
      return stage.parts[fault.part].process.letGo()
    case 'disk-full':
      return await fillDisk(stage.parts[fault.part], fault, count)
    case 'clock':
    case 'clock-beyond':
      return await moveClock(stage.parts[fault.part], fault, befallen)
    case 'copy':
      count('live copy')
      return copyLive(stage.parts[fault.part])
    case 'away':
      befallen.setAway(true)
      count('operator away')
      await pause(fault.forMs)
      return befallen.setAway(false)
    case 'network':
      return await disturb(stage.links[fault.link], fault, count)
  }
}

async function fillDisk(part: Part, fault: Fault & { kind: 'disk-full' }, count: Befallen['count']): Promise<void> {
  part.fillDisk(fault.leftBytes)
  count(`disk full (${part.disk.kind})`)
  if (fault.andKilled) {
    await part.kill()
    part.start()
    // If files are limited and not the disk, the limit has to be set again for a new process.
    if (part.disk.kind === 'file-size') part.fillDisk(fault.leftBytes)
  }
  await pause(fault.forMs)
  part.freeDisk()
}

/** Updates that arrived unread before must be there afterwards, whatever the clock says. */
async function moveClock(
  part: Part,
  fault: Fault & { kind: 'clock' | 'clock-beyond' },
  befallen: Befallen,
): Promise<void> {
  befallen.setAway(true)
  await pause(UNREAD_MS)
  if (fault.isAtBoot) await part.kill()
  befallen.clockMoves()
  part.setClock(fault.byMs)
  befallen.count(fault.kind === 'clock' ? 'clock jump' : 'clock jump beyond belief')
  if (fault.isAtBoot) part.start()
  await pause(fault.forMs / 2)
  befallen.setAway(false)
  await pause(fault.forMs / 2)
  befallen.clockMoves()
  part.setClock(0)
}

/** A naive backup. The running part must not notice. */
function copyLive(part: Part): void {
  const directory = mkdtempSync(join(tmpdir(), 'postern-copy-'))
  try {
    cpSync(part.disk.directory, directory, { recursive: true })
  } catch {
    // A file has disappeared meanwhile: the copy is useless, and nothing more happens.
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function disturb(link: TcpLink, fault: Fault & { kind: 'network' }, count: Befallen['count']): Promise<void> {
  const { how, direction, forMs } = fault
  count(`network ${how}`)
  if (how === 'cut') return link.cut()
  if (how === 'refuse') link.refuse()
  if (how === 'stall') link.stall()
  if (how === 'delay') link.delay(Math.min(forMs / 4, 300))
  if (how === 'half-close') link.halfClose(direction)
  if (how === 'cut-short') link.cutShort(direction)
  if (how === 'lose') link.lose(direction)
  await pause(forMs)
  link.heal()
  if (how === 'half-close') link.cut()
}
