// How a file is shown before it is fetched: its type by its bytes, and for a photo its size and a preview.
import { CodedError, gatewayLimits } from '@postern/protocol'
import { describeFile } from './describe-file.ts'
import { makePreview, type Preview, tooManyBytes } from './make-preview.ts'
import { type FileKind, SNIFF_BYTES } from './sniff.ts'

/** Can be read more than once. */
export type ReadableFile = { size: number; read(): AsyncIterable<Uint8Array> }

/** A requested kind; otherwise the bytes decide. */
export type ShowRequest = { name: string; declaredType?: string | undefined; kind?: FileKind | undefined }

export type ShownFile = { type: string; kind: FileKind; width?: number; height?: number; preview?: string }

/** A picture without a possible preview is sent as a file, unless a photo was requested. */
export async function showFile(
  file: ReadableFile,
  { name, declaredType, kind: asked }: ShowRequest,
): Promise<ShownFile> {
  const described = describeFile({ start: await readStart(file, SNIFF_BYTES), name, declaredType })
  const { type } = described
  const kind = asked ?? described.kind
  if (kind !== 'photo') return { type, kind }
  const preview = await previewOf(file)
  if (preview.kind === 'made') return { type, kind, width: preview.width, height: preview.height, preview: preview.url }
  if (asked) throw new CodedError('bad-field', { field: 'kind', rule: preview.rule })
  return { type, kind: 'file' }
}

async function previewOf(file: ReadableFile): Promise<Preview> {
  // Before the file is read.
  if (file.size > gatewayLimits.photoBytesMax) return tooManyBytes
  return await makePreview(() => readStart(file, file.size))
}

async function readStart(file: ReadableFile, bytesMax: number): Promise<Uint8Array> {
  const start = new Uint8Array(Math.min(bytesMax, file.size))
  let length = 0
  for await (const piece of file.read()) {
    const taken = piece.subarray(0, start.length - length)
    start.set(taken, length)
    length += taken.length
    if (length === start.length) break
  }
  return start
}
