// One valid frame of a client for every call of the wire, to be mutated: a call without one does not compile.
import { randomBytes } from 'node:crypto'
import type { AccountId, BlobId, GroupId } from '@postern/protocol'
import { type CallName, type CallRequest, encodeClientFrame } from '@postern/protocol/relay'
import type { SeededRandom } from '@postern/testkit'
import {
  type BarePerson,
  commitEnvelope,
  directEnvelope,
  ephemeralEnvelope,
  idOf,
  messageEnvelope,
  newGroupId,
  proofOf,
} from '@postern/testkit/bare-client'

/** A speaker's knowledge of the relay. */
export type Standing = {
  person: BarePerson
  others: AccountId[]
  group: GroupId
  epoch: number
  blob: BlobId
  nonce: Uint8Array
  audience: string
}
type Requests = { [Name in CallName]: (standing: Standing, random: SeededRandom) => CallRequest<Name> }

const at = ({ group, epoch }: Standing, random: SeededRandom) => ({ group, epoch, size: random.of([0, 64, 5000]) })

const requests: Requests = {
  authenticate: ({ person, nonce, audience }, random) => ({
    ...proofOf(person, { nonce, audience }),
    intent: random.of(['login', 'register'] as const),
  }),
  ping: () => ({}),
  publishKeyPackages: (_, random) => ({
    oneTime: Array.from({ length: random.below(4) }, () => randomBytes(300)),
    lastResort: random.below(2) === 0 ? undefined : randomBytes(300),
    replace: random.below(4) === 0,
  }),
  takeKeyPackages: ({ others }) => ({ accounts: others }),
  putProfile: (_, random) => ({ version: random.below(2 ** 20), blob: randomBytes(200) }),
  getProfile: ({ others }, random) => ({ account: random.of(others) }),
  createGroup: ({ group }, random) => ({ group: newGroupId(), continues: random.below(2) === 0 ? undefined : group }),
  getGroup: ({ group }) => ({ group }),
  append: (standing, random) => {
    const isDirect = random.below(3) === 0
    const payload = isDirect ? directEnvelope(at(standing, random)) : messageEnvelope(at(standing, random))
    return { payload, to: isDirect ? random.of(standing.others) : undefined, leave: false }
  },
  commit: (standing, random) => ({
    payload: commitEnvelope(at(standing, random)),
    add: random.below(2) === 0 ? [] : standing.others,
    remove: [],
    welcome: random.below(2) === 0 ? undefined : randomBytes(80),
  }),
  outcome: standing => ({ group: standing.group, message: idOf(messageEnvelope({ ...standing })) }),
  follow: (_, random) => ({ after: random.below(100) }),
  followChained: (_, random) => ({ after: random.below(100) }),
  beginBlob: (_, random) => ({ size: random.below(10_000) }),
  beginLimitedBlob: (_, random) => ({
    size: random.below(10_000),
    lifetimeMs: random.below(2) === 0 ? undefined : random.below(600_000),
    fetches: random.below(2) === 0 ? undefined : random.below(20),
  }),
  deleteBlob: ({ blob }) => ({ blob }),
  mailboxEnd: () => ({}),
  appendMarked: (standing, random) => ({
    ...requests.append(standing, random),
    attention: random.of(['none', 'message', 'mention'] as const),
    preview: random.below(2) === 0 ? undefined : randomBytes(200),
  }),
  pushKey: () => ({}),
  setPush: ({ group }, random) => ({
    endpoint: random.of(['https://updates.push.services.mozilla.com/1', 'http://127.0.0.1/', 'no address']),
    p256dh: randomBytes(65),
    auth: randomBytes(16),
    muted: random.below(2) === 0 ? [] : [group],
  }),
  clearPush: () => ({}),
  sendEphemeral: (standing, random) => ({
    payload: ephemeralEnvelope({ ...standing, size: random.of([0, 64, 3000]) }),
  }),
  followEphemeral: () => ({}),
  newPeopleLeft: () => ({}),
  // Not signed by the account's key: the account is needed for the rest of the run.
  deleteAccount: () => ({ signature: randomBytes(64) }),
}

const names = Object.keys(requests) as CallName[]
/** Above those that the speaker itself uses. */
const ID_FIRST = 2 ** 31

export function rightFrame(standing: Standing, random: SeededRandom): Uint8Array {
  if (random.below(12) === 0)
    return encodeClientFrame({ kind: 'acknowledge', cursor: random.below(1000), mark: random.below(1000) })
  const name = random.of(names)
  const request = requests[name](standing, random)
  return encodeClientFrame({ kind: 'call', name, id: ID_FIRST + random.below(2 ** 20), request } as never)
}
