// The files of the reference page, compressed and plain, as they are sent. RapiDoc's file is read from its package, or
// from the folder of a bundle.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { gatewayLimits } from '@postern/protocol'
import { settingFault } from '../../config.ts'
import { PAGE, SCRIPT, STYLE } from './page.ts'

/** Both forms are made once: a request costs no more than sending it. */
export type ReferenceFile = { type: string; etag: string; packed: Buffer; plain: Buffer }

const RAPIDOC = 'rapidoc-min.js.gz'

export const referenceFiles = (): ReadonlyMap<string, ReferenceFile> =>
  new Map([
    ['/reference', fileOf('text/html; charset=utf-8', PAGE)],
    ['/reference/page.css', fileOf('text/css; charset=utf-8', STYLE)],
    ['/reference/page.js', fileOf('text/javascript; charset=utf-8', SCRIPT)],
    ['/reference/rapidoc.js', packedFile('text/javascript; charset=utf-8', readRapidoc())],
  ])

export const fileOf = (type: string, text: string): ReferenceFile => packedFile(type, gzipSync(text))

function packedFile(type: string, packed: Buffer): ReferenceFile {
  const etag = `"${createHash('sha256').update(packed).digest('base64url').slice(0, 22)}"`
  const plain = gunzipSync(packed, { maxOutputLength: gatewayLimits.referenceFileBytesMax })
  return { type, etag, packed, plain }
}

/** A distribution may have left it out. */
function readRapidoc(): Buffer {
  try {
    return readFileSync(rapidocPath())
  } catch (error) {
    throw settingFault('REFERENCE', `cannot serve its page because ${RAPIDOC} is missing`, { cause: error })
  }
}

/** All code of a bundle is in one folder, together with the files that it serves. */
export function rapidocPath(): string {
  const beside = join(import.meta.dirname, RAPIDOC)
  return existsSync(beside) ? beside : join(dirname(fileURLToPath(import.meta.resolve('rapidoc'))), RAPIDOC)
}
