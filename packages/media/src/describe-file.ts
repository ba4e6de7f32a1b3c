// The media type and the kind of a file: from its bytes first, then from the declared type.
import { extensionOf } from '@postern/protocol'
import { isSniffable, type SniffResult, sniff } from './sniff.ts'

export type FileStart = { start: Uint8Array; name: string; declaredType?: string | undefined }

export function describeFile({ start, name, declaredType }: FileStart): SniffResult {
  const sniffed = sniff(start)
  const extension = extensionOf(name)
  if (sniffed) return { ...sniffed, type: insideOf.get(`${sniffed.type} ${extension}`) ?? sniffed.type }
  return { type: believable(declaredType) ?? byExtension.get(extension) ?? UNKNOWN, kind: 'file' }
}

const UNKNOWN = 'application/octet-stream'

/** Both halves as registered (RFC 6838), without parameters. */
const mediaType = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/

/** Undefined for a type that the bytes would prove: a file that is not a picture is not called one. */
function believable(declared: string | undefined): string | undefined {
  const type = declared?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return mediaType.test(type) && type !== UNKNOWN && !isSniffable(aliases.get(type) ?? type) ? type : undefined
}

const aliases = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/heif', 'image/heic'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/opus', 'audio/ogg'],
  ['audio/x-wav', 'audio/wav'],
  ['application/x-pdf', 'application/pdf'],
  ['application/x-zip-compressed', 'application/zip'],
  ['application/x-gzip', 'application/gzip'],
])

const office = 'application/vnd.openxmlformats-officedocument'
const openDocument = 'application/vnd.oasis.opendocument'

/** Formats that are stored in another one: the bytes show the outer format, the extension the inner one. */
const insideOf = new Map([
  ['application/zip docx', `${office}.wordprocessingml.document`],
  ['application/zip xlsx', `${office}.spreadsheetml.sheet`],
  ['application/zip pptx', `${office}.presentationml.presentation`],
  ['application/zip odt', `${openDocument}.text`],
  ['application/zip ods', `${openDocument}.spreadsheet`],
  ['application/zip odp', `${openDocument}.presentation`],
  ['application/zip epub', 'application/epub+zip'],
  ['application/zip apk', 'application/vnd.android.package-archive'],
  ['application/zip jar', 'application/java-archive'],
  ['application/x-ole-storage doc', 'application/msword'],
  ['application/x-ole-storage xls', 'application/vnd.ms-excel'],
  ['application/x-ole-storage ppt', 'application/vnd.ms-powerpoint'],
])

/** Harmless types that cannot be recognized by their bytes. */
const byExtension = new Map([
  ['txt', 'text/plain'],
  ['log', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['ics', 'text/calendar'],
  ['vcf', 'text/vcard'],
  ['tar', 'application/x-tar'],
])
