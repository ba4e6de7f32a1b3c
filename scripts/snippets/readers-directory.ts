// A directory in the state before a page's first command: a checkout, a photo, and a key for backups.
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'

const ROOT = join(import.meta.dirname, '../..')
const LINKED = ['package.json', 'node_modules', 'packages', 'scripts']

/** Makes an answer one line, and an error of the API an error of the command. */
const curlSettings = 'silent\nshow-error\nfail-with-body\nmax-time = 60\nwrite-out = "\\n"\n'

/** `recipient`: the public key of the secret one in `key.txt`. */
export async function readersDirectory(): Promise<{ directory: string; recipient: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-page-'))
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(directory, name))
  // A copy: pages write settings beside these files.
  cpSync(join(ROOT, 'deploy'), join(directory, 'deploy'), { recursive: true })
  for (const folder of ['var/lib', 'var/backups', 'etc/postern'])
    mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, '.curlrc'), curlSettings)
  cpSync(join(import.meta.dirname, 'photo.jpg'), join(directory, 'photo.jpg'))
  const identity = await generateX25519Identity()
  writeFileSync(join(directory, 'key.txt'), `${identity}\n`)
  const recipient = await identityToRecipient(identity)
  return { directory, recipient }
}
