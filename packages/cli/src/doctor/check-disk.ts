// The disk of the data directory: whether written data stays, and whether there is space.
import { doctorLimits } from '@postern/protocol'
import { bytesText } from '../backup/progress.ts'
import { type Diagnosis, fail, ok, warn } from './finding.ts'
import { type Disk, type Machine, nearestExisting } from './machine.ts'

type Doubt = { name: string; text: string; todo: string }

const network: Omit<Doubt, 'name'> = {
  text: 'where locks and synced writes may fail and damage a database',
  todo: 'use a local disk or a network block device',
}
const memory: Omit<Doubt, 'name'> = {
  text: 'which is memory: a restart loses everything',
  todo: 'use a directory on a disk',
}

/** Linux's numbers; other systems have different ones, and are not checked. */
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
      text: "the container's own file system: removing the container loses everything",
      todo: 'mount a volume there',
    },
  ],
])

export function checkDisk({ directory, machine }: { directory: string; machine: Machine }): Diagnosis[] {
  const disk = machine.readDisk(nearestExisting(directory))
  const found = [kindFault(directory, disk), roomFault(disk), filesFault(disk)].filter(fault => fault !== undefined)
  return found.length > 0 ? found : [ok('disk', `${bytesText(disk.freeBytes)} free`)]
}

function kindFault(directory: string, { type }: Disk): Diagnosis | undefined {
  const doubt = process.platform === 'linux' ? doubtful.get(type) : undefined
  return doubt && warn('disk', { text: `${directory} is on ${doubt.name}, ${doubt.text}`, todo: doubt.todo })
}

function roomFault({ freeBytes }: Disk): Diagnosis | undefined {
  const { diskFreeFailBytes, diskFreeWarnBytes } = doctorLimits
  if (freeBytes >= diskFreeWarnBytes) return undefined
  const said = { text: `the disk has ${bytesText(freeBytes)} free`, todo: 'free space, or use a larger disk' }
  return freeBytes < diskFreeFailBytes ? fail('disk', said) : warn('disk', said)
}

function filesFault({ freeFiles }: Disk): Diagnosis | undefined {
  if (freeFiles === undefined || freeFiles >= doctorLimits.filesFreeWarn) return undefined
  return warn('disk', {
    text: `the disk can hold only ${freeFiles} more files`,
    todo: 'remove files (df -i shows the number)',
  })
}
