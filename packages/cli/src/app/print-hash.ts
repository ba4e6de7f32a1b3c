// `postern app --hash`: the hash of the installed app, and a comparison with the app that a relay serves.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AppHash, hashApp } from '@postern/app/hash'
import { CodedError, cleanLine, relayFixedLimits } from '@postern/protocol'

const ANSWER_MS_MAX = 60_000
const SHOWN_MAX = 10

/** Resolves with the exit code: 1 if the relay serves another app. */
export async function printHash(folder: string, relay: string | undefined): Promise<number> {
  const own = await hashOfFolder(folder)
  if (relay === undefined) {
    process.stdout.write(`${own.hash}\n`)
    return 0
  }
  const served = await hashAt(relay)
  const isSame = own.hash === served.hash
  process.stdout.write(isSame ? `${own.hash}\n${relay} serves the same app.\n` : differenceOf(own, served, relay))
  return isSame ? 0 : 1
}

export const hashOfFolder = (folder: string): Promise<AppHash> =>
  hashApp(async name => new Uint8Array(await readFile(join(folder, name))))

function differenceOf(own: AppHash, served: AppHash, relay: string): string {
  const names = [...new Set([...own.files.keys(), ...served.files.keys()])].toSorted()
  const other = names.filter(name => own.files.get(name) !== served.files.get(name))
  const more = other.length > SHOWN_MAX ? ` and ${other.length - SHOWN_MAX} more` : ''
  return `${own.hash}  this installation
${served.hash}  ${relay}
Different files: ${cleanLine(other.slice(0, SHOWN_MAX).join(', '))}${more}
`
}

/** Throws `relay-unreachable` for everything that is not the whole app. */
async function hashAt(relay: string): Promise<AppHash> {
  let bytes = 0
  const read = async (name: string): Promise<Uint8Array<ArrayBuffer>> => {
    const path = name === 'index.html' ? '/' : `/${name}`
    const answer = await fetch(relay + path, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    if (!answer.ok || !answer.body) throw new Error(`${path} is answered with ${answer.status}`)
    const pieces: Uint8Array[] = []
    for await (const piece of answer.body) {
      bytes += piece.length
      // A relay may send without end.
      if (bytes > relayFixedLimits.appBytesMax) throw new Error('the files are larger than an app can be')
      pieces.push(piece)
    }
    return new Uint8Array(Buffer.concat(pieces))
  }
  try {
    return await hashApp(read)
  } catch (cause) {
    const rule = `the app cannot be read at ${relay}: ${cleanLine(cause instanceof Error ? cause.message : String(cause))}`
    throw new CodedError('bad-field', { field: '--relay', rule }, { cause })
  }
}
