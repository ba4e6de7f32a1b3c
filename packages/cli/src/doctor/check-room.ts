// Whether the relay has space for messages and files: from the running relay, or from its settings and the disk.
import { doctorLimits, relayFixedLimits } from '@postern/protocol'
import { type RelayConfig, relayLimits, type StatusAnswer } from '@postern/relay'
import { bytesText } from '../backup/progress.ts'
import { type Diagnosis, fail, ok, warn } from './finding.ts'
import { type Machine, nearestExisting } from './machine.ts'

type RoomCase = {
  config: RelayConfig
  status: Pick<StatusAnswer, 'takes' | 'blob_bytes'> | undefined
  machine: Machine
}

export function checkRoom({ config, status, machine }: RoomCase): Diagnosis[] {
  const limits = relayLimits(config.limits)
  const { freeBytes, totalBytes } = machine.readDisk(nearestExisting(config.dataDirectory))
  const reserveBytes = Math.min(limits.diskFreeForBlobsBytesMin, totalBytes / relayFixedLimits.diskShareForBlobs)
  const takes = status?.takes ?? { messages: true, blobs: freeBytes > reserveBytes }
  const todo = 'free space on the disk, or keep less (--keep-days, --keep-blobs-days, --blobs-max)'
  if (!takes.messages) return [fail('room', { text: 'the relay rejects messages: there is no free space', todo })]
  if (!takes.blobs) return [fail('room', { text: 'the relay rejects files: there is no free space', todo })]
  const usedBytes = status?.blob_bytes ?? 0
  const maxBytes = limits.blobsBytesMax
  if (usedBytes > doctorLimits.blobsUsedWarnShare * maxBytes) {
    const text = `files use ${bytesText(usedBytes)} of at most ${bytesText(maxBytes)}`
    return [warn('room', { text, todo: 'raise --blobs-max, or keep them for fewer days' })]
  }
  return [ok('room', 'the relay accepts messages and files')]
}
