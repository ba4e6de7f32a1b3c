// The fast path of a text compared with the general one, over the same randomness.

import type { FastPath } from '../src/crypto/provider.ts'
import { decryptMessage, encryptMessage, type GroupSession } from '../src/group/group-session.ts'
import { type MlsContext, makeMlsContext } from '../src/group/mls-context.ts'
import { MlsError } from '../src/mls-error.ts'
import { makeNodeProvider } from '../src/provider-node.ts'
import { hex } from './bytes.ts'
import { NOW_SEC } from './people.ts'

/** How often the fast path was used to its end. */
export const taken = { seals: 0, opens: 0 }
let turn = 0

const provider = makeNodeProvider({
  // The same for both paths, and another one for the next text.
  randomBytes: count => Uint8Array.from({ length: count }, (_, at) => (turn * 31 + at * 7) & 0xff),
})

function counted(way: FastPath | undefined): FastPath {
  if (way === undefined) throw new Error('Node has a fast path')
  return {
    seal(state, text) {
      const made = way.seal(state, text)
      if (made !== undefined) taken.seals += 1
      return made
    },
    open(state, message) {
      const read = way.open(state, message)
      if (read !== undefined) taken.opens += 1
      return read
    },
  }
}

const short: MlsContext = makeMlsContext({ ...provider, fastPath: counted(provider.fastPath) }, () => NOW_SEC)
const general: MlsContext = { ...short, provider: { ...provider, fastPath: undefined } }
export const { cipherSuite } = provider

type BothWays<Result> = { short: Result; general: Result }

/** The output of each path for a text, and the state after it. */
export function writtenBothWays(sender: GroupSession, text: Uint8Array) {
  turn += 1
  return bothWays(sender, session => encryptMessage(session, text))
}

/** The outcome of each path for a message, and the state after it. */
export const toldBothWays = (reader: GroupSession, wire: Uint8Array) => bothWays(reader, session => told(session, wire))

async function bothWays<Result>(
  { state }: GroupSession,
  act: (session: GroupSession) => Promise<Result>,
): Promise<BothWays<Result>> {
  const from = { ...state, clientConfig: short.config }
  return {
    short: await act({ context: short, state: from }),
    general: await act({ context: general, state: from }),
  }
}

async function told(session: GroupSession, wire: Uint8Array) {
  try {
    const read = await decryptMessage(session, wire)
    if (read.kind !== 'application') return { what: read.kind, session: read.session }
    const { plaintext, senderLeaf, skipped } = read
    return { what: { text: hex(plaintext), senderLeaf, skipped }, session: read.session }
  } catch (error) {
    if (!(error instanceof MlsError)) throw error
    return { what: { code: error.code, message: error.message }, session }
  }
}
