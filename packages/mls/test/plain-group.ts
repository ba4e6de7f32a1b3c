// Groups made with ts-mls alone, without our rules: for tests of the library and for hostile members.
import {
  type ClientState,
  type CreateCommitOptions,
  createCommit,
  createGroup,
  defaultCapabilities,
  defaultLifetime,
  emptyPskIndex,
  generateKeyPackage,
  joinGroup,
  type KeyPackage,
  type PrivateKeyPackage,
  type Proposal,
} from 'ts-mls'
import { makeNodeProvider } from '../src/provider-node.ts'
import { utf8 } from './bytes.ts'

export const EXTENSION_TYPE = 0xf001
export const CUSTOM_PROPOSAL_TYPE = 0xf010
export const { cipherSuite } = makeNodeProvider()

export interface PlainPackage {
  publicPackage: KeyPackage
  privatePackage: PrivateKeyPackage
}

export function plainPackage(name: string, suite = cipherSuite): Promise<PlainPackage> {
  const capabilities = defaultCapabilities()
  capabilities.extensions.push(EXTENSION_TYPE)
  capabilities.proposals.push(CUSTOM_PROPOSAL_TYPE)
  const credential = { credentialType: 'basic', identity: utf8(name) } as const
  return generateKeyPackage(credential, capabilities, defaultLifetime, [], suite)
}

export const addOf = (keys: PlainPackage): Proposal => ({
  proposalType: 'add',
  add: { keyPackage: keys.publicPackage },
})
export const removeOf = (removed: number): Proposal => ({ proposalType: 'remove', remove: { removed } })

export function commit(state: ClientState, extraProposals: Proposal[] = [], options: CreateCommitOptions = {}) {
  return createCommit({ state, cipherSuite }, { extraProposals, ratchetTreeExtension: true, ...options })
}

export function join(welcome: Parameters<typeof joinGroup>[0] | undefined, keys: PlainPackage): Promise<ClientState> {
  if (welcome === undefined) throw new Error('the commit made no welcome')
  return joinGroup(welcome, keys.publicPackage, keys.privatePackage, emptyPskIndex, cipherSuite)
}

/** A group whose members' states come in leaf order. */
export async function plainGroup(...names: string[]): Promise<ClientState[]> {
  return firstOf(names, names.length)
}

/** The states of the first members alone: joining costs the most. */
export async function firstOf(names: readonly string[], count: number): Promise<ClientState[]> {
  const packages = await Promise.all(names.map(name => plainPackage(name)))
  const [first, ...others] = packages as [PlainPackage, ...PlainPackage[]]
  const empty = await createGroup(utf8('plain group'), first.publicPackage, first.privatePackage, [], cipherSuite)
  const { newState, welcome } = await commit(empty, others.map(addOf))
  return [newState, ...(await Promise.all(others.slice(0, count - 1).map(keys => join(welcome, keys))))]
}
