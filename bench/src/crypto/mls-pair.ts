// People in an MLS group, without a relay and a database: two of them send, the others are passive.
import { equalBytes } from '@postern/protocol'
import {
  accountIdOf,
  commitIntent,
  createGroup,
  credentialOf,
  type GroupSession,
  generateKeyPackage,
  joinFromWelcome,
  makeDeviceCertificate,
  makeMlsContext,
  makeNodeProvider,
} from '../inside.ts'

const HOUR_SEC = 3600
const nowSec = (): number => Math.floor(Date.now() / 1000)
const context = makeMlsContext(makeNodeProvider(), nowSec)

export async function makeMlsPair(members = 2): Promise<{ alice: GroupSession; bob: GroupSession }> {
  const { provider } = context
  const founder = await makeMember()
  const joiner = await makeMember()
  const others = await Promise.all(Array.from({ length: members - 2 }, makeMember))
  const group = { groupId: provider.randomBytes(16), keyPackage: founder.keyPackage, settings: new Uint8Array() }
  const add = [joiner, ...others].map(({ accountId, keyPackage }) => ({
    accountId,
    keyPackage: keyPackage.publicBytes,
  }))
  const { session, welcome } = await commitIntent(await createGroup(context, group), { add })
  const findKeyPackage = (reference: Uint8Array) =>
    equalBytes(reference, joiner.keyPackage.reference) ? joiner.keyPackage : undefined
  const joined = await joinFromWelcome(context, { welcome: welcome ?? new Uint8Array(), findKeyPackage })
  return { alice: session, bob: joined.session }
}

/** An account with a device and one key package, as it would publish them at a relay. */
export async function makeMember() {
  const { provider } = context
  const account = await provider.generateSigningKey()
  const deviceKey = await provider.generateSigningKey()
  const certificate = await makeDeviceCertificate(provider, {
    accountSecretKey: account.secretKey,
    devicePublicKey: deviceKey.publicKey,
    serial: 1,
    notAfterSec: nowSec() + HOUR_SEC,
  })
  const credential = credentialOf(account.publicKey, certificate)
  const lifetime = { notBeforeSec: nowSec() - HOUR_SEC, notAfterSec: nowSec() + HOUR_SEC }
  const keyPackage = await generateKeyPackage(context, { credential, deviceKey, lifetime })
  return { accountId: accountIdOf(provider, account.publicKey), accountKey: account.publicKey, keyPackage }
}
