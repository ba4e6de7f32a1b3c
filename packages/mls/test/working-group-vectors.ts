// The working group's test vectors for RFC 9420, cipher suite 1: some of them are here, and all of them in the folder
// that MLS_VECTORS names.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface TreeOperation {
  cipher_suite: number
  tree_before: string
  proposal: string
  proposal_sender: number
  tree_hash_before: string
  tree_hash_after: string
  tree_after?: string
}
export interface TreeValidation {
  cipher_suite: number
  tree: string
  /** Absent if the signatures are those of a draft. */
  group_id?: string
  resolutions: number[][]
  tree_hashes: string[]
}
export interface TreeKem {
  cipher_suite: number
  group_id: string
  epoch: number
  confirmed_transcript_hash: string
  ratchet_tree: string
  leaves_private: {
    index: number
    encryption_priv: string
    path_secrets: { node: number; path_secret: string }[]
  }[]
  update_paths: {
    sender: number
    update_path: string
    path_secrets: (string | null)[]
    commit_secret: string
    tree_hash_after: string
  }[]
}
export interface Welcoming {
  cipher_suite: number
  init_priv: string
  signer_pub: string
  key_package: string
  welcome: string
}
export interface PassiveClient {
  cipher_suite: number
  external_psks: { psk_id: string; psk: string }[]
  key_package: string
  signature_priv: string
  encryption_priv: string
  init_priv: string
  welcome: string
  ratchet_tree: string | null
  initial_epoch_authenticator: string
  epochs: { proposals: string[]; commit: string; epoch_authenticator: string }[]
}
/** One field for each kind of message and structure. */
export type Messages = Record<string, string>

const HERE = fileURLToPath(new URL('./vectors/working-group', import.meta.url))
/** The folder `test-vectors` of the working group's repository. */
const ALL = process.env['MLS_VECTORS']

if (ALL === undefined) console.warn('some of the vectors of RFC 9420 are tried: MLS_VECTORS names a folder with all')

/** Those of our suite; a file without suites contains no cryptography. */
export function vectorsOf<Vector>(name: string): Vector[] {
  return [HERE, ...(ALL === undefined ? [] : [ALL])]
    .map(folder => join(folder, `${name}.json`))
    .filter(path => existsSync(path))
    .flatMap(path => JSON.parse(readFileSync(path, 'utf8')) as (Vector & { cipher_suite?: number })[])
    .filter(({ cipher_suite = 1 }) => cipher_suite === 1)
}
