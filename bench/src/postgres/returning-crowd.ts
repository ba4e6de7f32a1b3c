// Many known clients in one process that come back to a relay at the same time, by the client's own connection.
import { sign } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { silentLog, systemClock, toBase64Url } from '@postern/protocol'
import {
  authenticationBytes,
  type CallRequest,
  deviceCertificateBytes,
  encodeDeviceCertificate,
} from '@postern/protocol/relay'
import { type Account, newAccount } from '../appends/people.ts'
import { RelayLink } from '../inside.ts'
import { serveParent } from '../processes/parent.ts'
import { sharedNowMs } from '../processes/shared-clock.ts'
import { connectLightSocket } from './light-socket.ts'
import type { KnownDevice } from './log-in.ts'

const NEVER_SEC = 9_999_999_999
const LOOK_EVERY_MS = 20
const DIALS_PER_TURN = 25
/** The reason that a link logs for a connection without a challenge, or without an answer to its login. */
const UNANSWERED = 'no answer'

type Known = Account & { certificate: Uint8Array }
/**
 * When each of them was in for the first time, how often they have dialled, and how many of these dials they gave up
 * without an answer.
 */
export type Returned = { onlineMs: number[]; dials: number; unanswered: number }

const known: Known[] = []
const links: RelayLink[] = []

function make(count: number): KnownDevice[] {
  const made = Array.from({ length: count }, newAccount)
  known.push(...made.map(account => ({ ...account, certificate: certificateOf(account) })))
  return made.map(({ id, account, device }) => ({
    id,
    accountKey: toBase64Url(account.publicKey),
    device: `${id}.${toBase64Url(device.publicKey)}`,
  }))
}

function certificateOf({ account, device }: Account): Uint8Array {
  // As the store knows it: a certificate that revokes others would be another measurement.
  const certified = { serial: 0, notAfterSec: NEVER_SEC }
  const signed = deviceCertificateBytes({ ...certified, deviceKey: device.publicKey })
  return encodeDeviceCertificate({ ...certified, signature: sign(null, signed, account.privateKey) })
}

async function comeBack({ url, withinMs }: { url: string; withinMs: number }): Promise<Returned> {
  const returned: Returned = { onlineMs: [], dials: 0, unanswered: 0 }
  for (const client of known) links.push(linkOf(client, { url, returned }))
  const latestMs = sharedNowMs() + withinMs
  for (const [at, link] of links.entries()) {
    link.start()
    // The first ones answer the relay while others still dial, as on machines of their own.
    if (at % DIALS_PER_TURN === 0) await nextTurn()
  }
  while (returned.onlineMs.length < known.length && sharedNowMs() < latestMs) await wait(LOOK_EVERY_MS)
  return returned
}

const isUnanswered = (fields: object): boolean => 'reason' in fields && fields.reason === UNANSWERED

type Coming = { url: string; returned: Returned }

function linkOf(client: Known, { url, returned }: Coming): RelayLink {
  let wasIn = false
  const link = new RelayLink({
    relayUrl: url,
    clock: systemClock,
    log: { ...silentLog, info: fields => void (isUnanswered(fields) && returned.unanswered++) },
    jitter: Math.random,
    connect: (...given) => {
      returned.dials++
      return connectLightSocket(...given)
    },
    prove: async (nonce, audience) => proofOf(client, { nonce, audience }),
    onSession: async () => {
      await link.call('follow', { after: 0 })
      if (!wasIn) returned.onlineMs.push(sharedNowMs())
      wasIn = true
    },
    onEphemeral: () => undefined,
    onPage: () => 'known',
    onTime: () => {},
    onRevoked: () => 'over',
    afterTurn: run => setImmediate(run),
  })
  return link
}

function proofOf(
  { account, device, certificate }: Known,
  { nonce, audience }: { nonce: Uint8Array; audience: string },
): CallRequest<'authenticate'> {
  const accountKey = account.publicKey
  const signature = sign(null, authenticationBytes({ nonce, audience, accountKey }), device.privateKey)
  return {
    accountKey,
    deviceKey: device.publicKey,
    certificate,
    audience,
    signature,
    intent: 'login',
    invite: undefined,
  }
}

function closeAll(): void {
  for (const link of links) link.stop()
}

serveParent({ state: undefined, answers: { make, comeBack }, stop: closeAll })
