// Whether the relay has room for messages and files: as the one that runs says, else as its settings and the disk say.
import { doctorLimits, relayFixedLimits } from '@postern/protocol'
import { type RelayConfig, relayLimits, type StatusAnswer } from '@postern/relay'
import { bytesText } from '../backup/progress.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { type Machine, nearestExisting } from './machine.ts'

type RoomCase = {
  config: RelayConfig
  status: Pick<StatusAnswer, 'takes' | 'blob_bytes'> | undefined
  machine: Machine
}

export function lookAtRoom({ config, status, machine }: RoomCase): Finding[] {
  const limits = relayLimits(config.limits)
  const { freeBytes, totalBytes } = machine.readDisk(nearestExisting(config.dataDirectory))
  const reserveBytes = Math.min(limits.diskFreeForBlobsBytesMin, totalBytes / relayFixedLimits.diskShareForBlobs)
  const takes = status?.takes ?? { messages: true, blobs: freeBytes > reserveBytes }
  const todo = 'make room on the disk, or keep less (--keep-days, --keep-blobs-days, --blobs-max)'
  if (!takes.messages) return [fail('room', { text: 'no messages are taken: there is no room', todo })]
  if (!takes.blobs) return [fail('room', { text: 'no files are taken: there is no room', todo })]
  const usedBytes = status?.blob_bytes ?? 0
  const maxBytes = limits.blobsBytesMax
  if (usedBytes > doctorLimits.blobsUsedWarnShare * maxBytes) {
    const text = `files take ${bytesText(usedBytes)} of the ${bytesText(maxBytes)} that they may`
    return [warn('room', { text, todo: 'raise --blobs-max, or keep them for fewer days' })]
  }
  return [ok('room', 'messages and files are taken')]
}
