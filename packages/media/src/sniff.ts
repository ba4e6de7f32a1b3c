// The type of a file by its first bytes. Only certain types: all others are unknown.

export type FileKind = 'photo' | 'video' | 'voice' | 'file'
export type SniffResult = { type: string; kind: FileKind }

/** This many bytes from the start are enough. */
export const SNIFF_BYTES = 512

type Signature = SniffResult & { isOne: (bytes: Uint8Array) => boolean }

export const sniff = (bytes: Uint8Array): SniffResult | undefined => {
  const found = signatures.find(({ isOne }) => isOne(bytes))
  return found && { type: found.type, kind: found.kind }
}

/** Whether files of this type are recognized by their bytes, so that other bytes cannot be one. */
export const isSniffable = (type: string): boolean => sniffableTypes.has(type)

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end))

/** A text in which every character is a byte. */
const starts = (text: string, at = 0) => {
  const end = at + text.length
  return (bytes: Uint8Array): boolean => latin1(bytes, at, end) === text
}

const both =
  (...tests: Signature['isOne'][]) =>
  (bytes: Uint8Array): boolean =>
    tests.every(test => test(bytes))

const riff = (form: string) => both(starts('RIFF'), starts(form, 8))

/** ISO base media: the major brand, or one of the compatible brands. */
const isoBrands = (brands: readonly string[], { compatible }: { compatible: 'too' | 'not' }) => {
  return (bytes: Uint8Array): boolean => {
    if (!starts('ftyp', 4)(bytes)) return false
    if (brands.includes(latin1(bytes, 8, 12))) return true
    if (compatible === 'not') return false
    const end = Math.min(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), SNIFF_BYTES, bytes.length)
    for (let at = 16; at + 4 <= end; at += 4) if (brands.includes(latin1(bytes, at, at + 4))) return true
    return false
  }
}

/** Matroska and WebM differ in the document type, which is among the first elements. */
const ebml = (documentType: string) => {
  const element = `\x42\x82${String.fromCharCode(0x80 | documentType.length)}${documentType}`
  return (bytes: Uint8Array): boolean => starts('\x1aE\xdf\xa3')(bytes) && latin1(bytes, 4, 128).includes(element)
}

/** An Ogg file names its codec after the 28 bytes of its first page. */
const ogg = (codec: string) => both(starts('OggS'), starts(codec, 28))

/** MPEG audio: eleven bits that are set, then version, layer 3, and a rate that exists. */
const isMp3Frame = ([first = 0, second = 0, third = 0]: Uint8Array): boolean =>
  first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08 && third >> 4 !== 0xf && third >> 4 !== 0

const photo = (type: string, isOne: Signature['isOne']): Signature => ({ type, kind: 'photo', isOne })
const video = (type: string, isOne: Signature['isOne']): Signature => ({ type, kind: 'video', isOne })
const file = (type: string, isOne: Signature['isOne']): Signature => ({ type, kind: 'file', isOne })

const signatures: readonly Signature[] = [
  photo('image/jpeg', starts('\xff\xd8\xff')),
  photo('image/png', starts('\x89PNG\r\n\x1a\n')),
  photo('image/webp', riff('WEBP')),
  video('video/quicktime', isoBrands(['qt  '], { compatible: 'not' })),
  video('video/quicktime', both(starts('moov', 4), starts('mvhd', 12))),
  file('image/avif', isoBrands(['avif', 'avis'], { compatible: 'not' })),
  file('image/heic', isoBrands(['heic', 'heix', 'heim', 'heis', 'hevc', 'mif1', 'msf1'], { compatible: 'not' })),
  file('audio/mp4', isoBrands(['M4A ', 'M4B '], { compatible: 'not' })),
  file('video/3gpp', isoBrands(['3gp4', '3gp5', '3gp6', '3gp7'], { compatible: 'not' })),
  video(
    'video/mp4',
    isoBrands(['isom', 'iso2', 'mp41', 'mp42', 'avc1', 'M4V ', 'MSNV', 'dash'], { compatible: 'too' }),
  ),
  video('video/webm', ebml('webm')),
  video('video/x-matroska', ebml('matroska')),
  { type: 'audio/ogg', kind: 'voice', isOne: ogg('OpusHead') },
  file('audio/ogg', ogg('\x01vorbis')),
  file('video/ogg', ogg('\x80theora')),
  file('application/ogg', starts('OggS')),
  file('image/gif', starts('GIF87a')),
  file('image/gif', starts('GIF89a')),
  file('image/tiff', starts('II*\0')),
  file('image/tiff', starts('MM\0*')),
  file('image/bmp', both(starts('BM'), starts('\0\0\0\0', 6))),
  file('audio/mpeg', starts('ID3')),
  file('audio/mpeg', isMp3Frame),
  file('audio/wav', riff('WAVE')),
  file('audio/flac', starts('fLaC')),
  file('video/x-msvideo', riff('AVI ')),
  file('application/pdf', starts('%PDF-')),
  file('application/zip', starts('PK\x03\x04')),
  file('application/zip', starts('PK\x05\x06')),
  file('application/gzip', starts('\x1f\x8b\x08')),
  file('application/x-7z-compressed', starts("7z\xbc\xaf'\x1c")),
  file('application/vnd.rar', starts('Rar!\x1a\x07')),
  file('application/x-bzip2', both(starts('BZh'), starts('1AY&SY', 4))),
  file('application/x-xz', starts('\xfd7zXZ\0')),
  file('application/zstd', starts('(\xb5/\xfd')),
  file('application/x-ole-storage', starts('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')),
]

const sniffableTypes = new Set(signatures.map(({ type }) => type))
