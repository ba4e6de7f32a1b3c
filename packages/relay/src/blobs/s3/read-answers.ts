// Reads the XML answers of an object store, within bounds:
// extracts single fields and expands no entities that are defined in the text.
import type { IncomingMessage } from 'node:http'
import { relayFixedLimits } from '@postern/protocol'
import { S3Fault } from './s3-fault.ts'

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#34': '"' }

const plain = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|apos|#34);/g, (_, name: string) => entities[name] ?? '')

/** All fields of that name, in order. */
export function fieldsIn(xml: string, name: string): string[] {
  const found: string[] = []
  const [open, close] = [`<${name}>`, `</${name}>`]
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const start = at + open.length
    const end = xml.indexOf(close, start)
    if (end < 0) break
    found.push(plain(xml.slice(start, end)))
    at = end
  }
  return found
}

export const fieldIn = (xml: string, name: string): string | undefined => fieldsIn(xml, name)[0]

/** Only the error's name: the rest repeats the key and the signed text. */
export function faultIn(xml: string, status: number): S3Fault {
  const code = fieldIn(xml, 'Code') ?? ''
  return new S3Fault(/^[A-Za-z]{1,64}$/.test(code) ? code : `status ${status}`, status)
}

/** Throws if the answer is longer than expected or breaks off. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > relayFixedLimits.objectStoreAnswerBytesMax) throw new S3Fault('AnswerTooLong', 0)
    pieces.push(piece)
  }
  if (!answer.complete) throw new S3Fault('ECONNRESET', 0)
  return Buffer.concat(pieces).toString()
}
