// The log that disk-log.c writes, as changes in their order.
import { readFileSync } from 'node:fs'

export type DiskChange =
  | { kind: 'open'; fd: number; path: string; creates: boolean }
  | { kind: 'close'; fd: number }
  | { kind: 'write'; fd: number; at: number; bytes: Uint8Array }
  | { kind: 'truncate'; fd: number; length: number }
  | { kind: 'sync'; fd: number }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'link'; path: string; to: string }
  | { kind: 'unlink' | 'mkdir' | 'rmdir'; path: string }

const MARK = 0x57504450
const HEAD_BYTES = 32
const O_CREAT = 0o100
const operations = [
  'nothing',
  'open',
  'close',
  'write',
  'truncate',
  'sync',
  'rename',
  'unlink',
  'mkdir',
  'rmdir',
  'link',
  'blind',
] as const

/** A record that the kill truncated is left out: its call never returned. */
export function readDiskLog(file: string): DiskChange[] {
  const log = readFileSync(file)
  const changes: DiskChange[] = []
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    if (log.readUInt32LE(at) !== MARK) throw new Error(`${file} is damaged at ${at}`)
    const end = at + HEAD_BYTES + Number(log.readBigUInt64LE(at + 24))
    if (end > log.length) break
    changes.push(changeOf(log.subarray(at, at + HEAD_BYTES), log.subarray(at + HEAD_BYTES, end)))
    at = end
  }
  return changes
}

function changeOf(head: Buffer, data: Buffer): DiskChange {
  const kind = operations[head.readUInt32LE(4)] ?? 'nothing'
  const fd = Number(head.readBigInt64LE(8))
  const number = Number(head.readBigInt64LE(16))
  switch (kind) {
    case 'open':
      return { kind, fd, path: data.toString(), creates: (number & O_CREAT) !== 0 }
    case 'close':
    case 'sync':
      return { kind, fd }
    case 'write':
      return { kind, fd, at: number, bytes: data }
    case 'truncate':
      return { kind, fd, length: number }
    case 'rename':
    case 'link': {
      const [path = '', to = ''] = data.toString().split('\0')
      return { kind, path, to }
    }
    case 'unlink':
    case 'mkdir':
    case 'rmdir':
      return { kind, path: data.toString() }
    case 'blind':
      throw new Error(`the log of the disk does not follow ${data.toString()}, which the part has called`)
    case 'nothing':
      throw new Error(`the log of the disk has an unknown record ${head.readUInt32LE(4)}`)
  }
}
