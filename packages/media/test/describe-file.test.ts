// The types of files, by their bytes, by their declared type, and by their names.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeFile } from '../src/describe-file.ts'
import { SNIFF_BYTES } from '../src/sniff.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const ogg = (codec: string) => bytes(`OggS${'\0'.repeat(24)}${codec}`)
const ftyp = (brand: string, ...compatible: string[]) => {
  const box = bytes(`\0\0\0\0ftyp${brand}\0\0\0\0${compatible.join('')}`)
  box.writeUInt32BE(box.length)
  return Buffer.concat([box, bytes('\0\0\0\x08mdat')])
}
const ebml = (documentType: string) =>
  bytes(`\x1aE\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82${String.fromCharCode(0x80 | documentType.length)}${documentType}`)

test.each([
  ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg', 'photo'],
  ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png', 'photo'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp', 'photo'],
  [ftyp('isom', 'iso2', 'mp41'), 'video/mp4', 'video'],
  [ftyp('mp42'), 'video/mp4', 'video'],
  [ftyp('XAVC', 'XAVC', 'mp42'), 'video/mp4', 'video'],
  [ftyp('qt  ', 'qt  '), 'video/quicktime', 'video'],
  [ebml('webm'), 'video/webm', 'video'],
  [ebml('matroska'), 'video/x-matroska', 'video'],
  [ogg('OpusHead\x01'), 'audio/ogg', 'voice'],
  [ogg('\x01vorbis'), 'audio/ogg', 'file'],
  [ftyp('heic', 'mif1'), 'image/heic', 'file'],
  [ftyp('M4A ', 'M4A ', 'mp42'), 'audio/mp4', 'file'],
  ['GIF89a\x01\0\x01\0', 'image/gif', 'file'],
  ['%PDF-1.7\n', 'application/pdf', 'file'],
  ['PK\x03\x04\x14\0', 'application/zip', 'file'],
  ['ID3\x04\0\0', 'audio/mpeg', 'file'],
  ['\xff\xfb\x90\x64', 'audio/mpeg', 'file'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav', 'file'],
  ['\x1f\x8b\x08\0', 'application/gzip', 'file'],
])('[MEDIA-1.1] %j is %s, a %s, whatever is said about it', (start, type, kind) => {
  const given = typeof start === 'string' ? bytes(start) : start
  for (const said of [{}, { declaredType: 'image/svg+xml' }, { declaredType: 'text/html' }])
    for (const name of ['x', 'x.png', 'x.html', 'x.txt'])
      expect(describeFile({ start: given, name, ...said })).toEqual({ type, kind })
})

describe('what is declared', () => {
  const declared = (declaredType: string, name = 'x', start = bytes('<svg xmlns="…"/>')) =>
    describeFile({ start, name, declaredType }).type

  test('[MEDIA-1.2] is taken when the bytes could be that', () => {
    expect(declared('text/html')).toBe('text/html')
    expect(declared('Text/Plain; charset=utf-8')).toBe('text/plain')
    expect(declared('application/vnd.api+json')).toBe('application/vnd.api+json')
    expect(describeFile({ start: bytes(''), name: 'x', declaredType: 'video/x-unheard-of' }).kind).toBe('file')
  })

  test.each(['image/png', 'image/jpeg', 'image/jpg', 'IMAGE/PNG', 'video/mp4', 'audio/ogg', 'application/pdf'])(
    '[MEDIA-1.2] an SVG that is declared %s is application/octet-stream',
    type => expect(declared(type, 'picture.png')).toBe('application/octet-stream'),
  )

  test.each(['', 'x', 'text', '/', 'a/b/c', 'text/pl ain', 'text/pläin', `${'a'.repeat(65)}/b`, 'text/x\r\nSet: 1'])(
    '[MEDIA-1.2] %j is no media type',
    type => expect(declared(type)).toBe('application/octet-stream'),
  )
})

test.each([
  ['notes.txt', 'text/plain'],
  ['NOTES.TXT', 'text/plain'],
  ['table.csv', 'text/csv'],
  ['page.html', 'application/octet-stream'],
  ['run.exe', 'application/octet-stream'],
  ['picture.png', 'application/octet-stream'],
  ['txt', 'application/octet-stream'],
  ['.txt', 'application/octet-stream'],
  ['a.__proto__', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
])('[MEDIA-1.3] %s without a type is %s', (name, type) => {
  for (const said of [{}, { declaredType: 'application/octet-stream' }])
    expect(describeFile({ start: bytes('hello'), name, ...said })).toEqual({ type, kind: 'file' })
})

test('[MEDIA-1.3] what is kept in a ZIP file is known by its extension', () => {
  const zip = bytes('PK\x03\x04')
  expect(describeFile({ start: zip, name: 'letter.docx' }).type).toMatch(/wordprocessingml\.document$/)
  expect(describeFile({ start: zip, name: 'letter.constructor' }).type).toBe('application/zip')
  expect(describeFile({ start: bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), name: 'a.doc' }).type).toBe(
    'application/msword',
  )
})

test('[MEDIA-1.4] any bytes, any name and any type give a media type', () => {
  const starts = ['', '\0\0\0\x18ftyp', '\xff\xff\xff\xffftypxxxx', '\x1aE\xdf\xa3', 'OggS', 'RIFF', '\xff\xfb', 'BM']
  const start = fc
    .tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: SNIFF_BYTES }))
    .map(([text, rest]) => Buffer.concat([bytes(text), rest]))
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(start, text, fc.option(text, { nil: undefined }), (start, name, declaredType) => {
      expect(describeFile({ start, name, declaredType }).type).toMatch(/^[\w.+-]{1,64}\/[\w.+-]{1,64}$/)
    }),
  )
})
