// Prepares a picked, pasted or dropped file for sending: its type by its bytes, and how it is shown.
import { describeFile } from '@postern/media/describe'
import { contentLimits, safeFileName } from '@postern/protocol'
import type { OutgoingFile } from '../contract/objects.ts'
import { measureVideo } from './measure-video.ts'
import { preparePhoto } from './prepare-photo.ts'

export type PreparedFile = { bytes: Blob; file: OutgoingFile }

/** `as-file`: every byte unchanged, with the camera's metadata. */
export type SendingAs = 'as-photo' | 'as-file'

/** This many bytes are enough to recognize the type. */
const START_BYTES = 512

export const isTooLarge = (picked: Blob): boolean => picked.size > contentLimits.fileBytesMax

export async function prepareFile(picked: File, sending: SendingAs): Promise<PreparedFile> {
  const name = safeFileName(picked.name || 'file')
  const start = new Uint8Array(await picked.slice(0, START_BYTES).arrayBuffer())
  const { type, kind } = describeFile({ start, name, declaredType: picked.type })
  const plain: PreparedFile = { bytes: picked, file: { name, type, size: picked.size, kind: 'file' } }
  if (sending === 'as-file') return plain
  if (kind === 'photo') return (await asPhoto(picked, { name, type })) ?? plain
  if (kind === 'video') return { bytes: picked, file: { ...plain.file, kind, ...(await measureVideo(picked)) } }
  return plain
}

async function asPhoto(picked: File, said: { name: string; type: string }): Promise<PreparedFile | undefined> {
  const photo = await preparePhoto(picked.slice(0, picked.size, said.type))
  if (!photo) return undefined
  const { bytes, type, width, height, preview } = photo
  const name = type === said.type ? said.name : said.name.replace(/(\.[^.]*)?$/, type === 'image/png' ? '.png' : '.jpg')
  return {
    bytes,
    file: { name, type, size: bytes.size, kind: 'photo', width, height, ...(preview !== undefined && { preview }) },
  }
}
