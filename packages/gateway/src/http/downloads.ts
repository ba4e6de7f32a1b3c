// Answers with a file: whole or one range, under a safe name, and never executed by a browser.
import { type ByteRange, parseByteRange } from '@postern/protocol'
import type { BriefFile } from '../files/file-downloads.ts'
import { type RequestHead, StreamedAnswer } from './answers.ts'
import { badField, errorAnswer } from './errors.ts'
import { evaluatePreconditions } from './preconditions.ts'

export function fileAnswer(file: BriefFile, request: RequestHead): StreamedAnswer {
  const etag = `"${file.digest}"`
  const cached = { etag, 'cache-control': 'private, no-cache' }
  switch (evaluatePreconditions(etag, request.headers)) {
    case 'other':
      return refused(412, badField('If-Match', 'does not match the ETag of the file'))
    case 'known':
      return new StreamedAnswer({ status: 304, headers: cached, read: nothing })
    case 'wanted':
      return wantedFile(file, rangeIn(request, { etag, size: file.size }), cached)
  }
}

/** Ranges are for GET only. No range of an empty file is valid, and some clients always ask for one. */
function rangeIn({ method, headers }: RequestHead, { etag, size }: { etag: string; size: number }): ByteRange {
  const ifRange = headers['if-range']
  const isCurrent = ifRange === undefined || ifRange === etag
  return parseByteRange(method === 'GET' && isCurrent && size > 0 ? headers.range : undefined, size)
}

function wantedFile(file: BriefFile, wanted: ByteRange, cached: Record<string, string>): StreamedAnswer {
  const headers = {
    'content-type': file.type,
    'content-disposition': attachment(file.name),
    'accept-ranges': 'bytes',
    ...cached,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  }
  switch (wanted.kind) {
    case 'unsatisfiable':
      return refused(416, badField('Range', `must begin within the file, which has ${file.size} bytes`), {
        'content-range': `bytes */${file.size}`,
      })
    case 'whole':
      return new StreamedAnswer({
        status: 200,
        headers: { ...headers, 'content-length': String(file.size) },
        read: () => file.readBriefly(),
      })
    case 'part': {
      const { start, end } = wanted
      const contentRange = `bytes ${start}-${end}/${file.size}`
      return new StreamedAnswer({
        status: 206,
        headers: { ...headers, 'content-length': String(end - start + 1), 'content-range': contentRange },
        read: () => file.readBriefly({ start, end }),
      })
    }
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function refused(status: 412 | 416, error: Error, headers: Record<string, string> = {}): StreamedAnswer {
  const { body } = errorAnswer(error)
  return new StreamedAnswer({
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
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
