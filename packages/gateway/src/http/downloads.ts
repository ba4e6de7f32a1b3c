// A file as an answer: whole or one range of it, under a name that is safe, and never run by a browser.
import { parseByteRange } from '@postern/protocol'
import type { BriefFile } from '../files/file-downloads.ts'
import { Streamed } from './answers.ts'
import { badField, errorAnswer } from './errors.ts'

export type Asked = { range: string | undefined; ifRange: string | undefined }

export function fileAnswer(file: BriefFile, { range, ifRange }: Asked): Streamed {
  const etag = `"${file.digest}"`
  const headers = {
    'content-type': file.type,
    'content-disposition': attachment(file.name),
    'accept-ranges': 'bytes',
    etag,
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  }
  const isCurrent = ifRange === undefined || ifRange === etag
  const wanted = parseByteRange(isCurrent ? range : undefined, file.size)
  switch (wanted.kind) {
    case 'unsatisfiable':
      return rangeRefused(file.size)
    case 'whole':
      return new Streamed({
        status: 200,
        headers: { ...headers, 'content-length': String(file.size) },
        read: () => file.readBriefly(),
      })
    case 'part': {
      const { start, end } = wanted
      const contentRange = `bytes ${start}-${end}/${file.size}`
      return new Streamed({
        status: 206,
        headers: { ...headers, 'content-length': String(end - start + 1), 'content-range': contentRange },
        read: () => file.readBriefly({ start, end }),
      })
    }
  }
}

function rangeRefused(size: number): Streamed {
  const { body } = errorAnswer(badField('Range', `the file has ${size} bytes`))
  return new Streamed({
    status: 416,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'content-range': `bytes */${size}`,
    },
    async *read() {
      yield Buffer.from(body)
    },
  })
}

/** RFC 6266: a name in ASCII for everybody, and the real one (RFC 8187) for those who can read it. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["\\%]/g, '_')
  if (plain === name) return `attachment; filename="${name}"`
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
