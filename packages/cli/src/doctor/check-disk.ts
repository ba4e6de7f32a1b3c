// The disk under the data directory: whether what is written there stays, and whether there is room.
import { doctorLimits } from '@postern/protocol'
import { bytesText } from '../backup/progress.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { type Disk, type Machine, nearestExisting } from './machine.ts'

type Doubt = { name: string; text: string; todo: string }

const network: Omit<Doubt, 'name'> = {
  text: 'where locks and synced writes may not hold, and a database is damaged in time',
  todo: 'use a disk of this machine or a block device of the network',
}
const memory: Omit<Doubt, 'name'> = {
  text: 'which is memory: all of it is gone with the next restart',
  todo: 'use a directory on a disk',
}

/** As Linux numbers them; other systems number otherwise, and are not asked. */
const doubtful: ReadonlyMap<number, Doubt> = new Map([
  [0x6969, { name: 'NFS', ...network }],
  [0xff534d42, { name: 'CIFS', ...network }],
  [0xfe534d42, { name: 'SMB', ...network }],
  [0x517b, { name: 'SMB', ...network }],
  [0x01021997, { name: '9p', ...network }],
  [0x01021994, { name: 'tmpfs', ...memory }],
  [0x858458f6, { name: 'ramfs', ...memory }],
  [
    0x794c7630,
    {
      name: 'overlay',
      text: "the container's own files: all of it is gone with the container",
      todo: 'mount a volume there',
    },
  ],
])

export function lookAtDisk({ directory, machine }: { directory: string; machine: Machine }): Finding[] {
  const disk = machine.readDisk(nearestExisting(directory))
  const found = [kindFault(directory, disk), roomFault(disk), filesFault(disk)].filter(fault => fault !== undefined)
  return found.length > 0 ? found : [ok('disk', `${bytesText(disk.freeBytes)} free`)]
}

function kindFault(directory: string, { type }: Disk): Finding | undefined {
  const doubt = process.platform === 'linux' ? doubtful.get(type) : undefined
  return doubt && warn('disk', { text: `${directory} is on ${doubt.name}, ${doubt.text}`, todo: doubt.todo })
}

function roomFault({ freeBytes }: Disk): Finding | undefined {
  const { diskFreeFailBytes, diskFreeWarnBytes } = doctorLimits
  if (freeBytes >= diskFreeWarnBytes) return undefined
  const said = { text: `${bytesText(freeBytes)} are left on the disk`, todo: 'make room, or use a larger one' }
  return freeBytes < diskFreeFailBytes ? fail('disk', said) : warn('disk', said)
}

function filesFault({ freeFiles }: Disk): Finding | undefined {
  if (freeFiles === undefined || freeFiles >= doctorLimits.filesFreeWarn) return undefined
  return warn('disk', { text: `${freeFiles} more files can be made on the disk`, todo: 'remove some (df -i)' })
}
