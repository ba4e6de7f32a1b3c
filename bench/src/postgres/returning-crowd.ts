// Many known clients in one process that come back to a relay at the same time, by the client's own connection.
import { sign } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
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

type Known = Account & { certificate: Uint8Array }
/** When each of them was in for the first time, and how often they have dialled. */
export type Returned = { onlineMs: number[]; dials: number }

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
  const onlineMs: number[] = []
  let dials = 0
  for (const client of known) {
    const isIn = () => onlineMs.push(sharedNowMs())
    links.push(linkOf(client, { url, isIn, onDial: () => dials++ }))
  }
  for (const link of links) link.start()
  const latestMs = sharedNowMs() + withinMs
  while (onlineMs.length < known.length && sharedNowMs() < latestMs) await wait(LOOK_EVERY_MS)
  return { onlineMs, dials }
}

type Coming = { url: string; isIn: () => void; onDial: () => void }

function linkOf(client: Known, { url, isIn, onDial }: Coming): RelayLink {
  let wasIn = false
  const link = new RelayLink({
    relayUrl: url,
    clock: systemClock,
    log: silentLog,
    jitter: Math.random,
    connect: (...given) => {
      onDial()
      return connectLightSocket(...given)
    },
    prove: async (nonce, audience) => proofOf(client, { nonce, audience }),
    onSession: async () => {
      await link.call('follow', { after: 0 })
      if (!wasIn) isIn()
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
