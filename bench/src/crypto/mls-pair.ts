// Two people in an MLS group, without a relay and a database.
import { equalBytes } from '@postern/protocol'
import {
  accountIdOf,
  commitIntent,
  createGroup,
  credentialOf,
  type GroupSession,
  generateKeyPackage,
  joinFromWelcome,
  type MlsContext,
  makeDeviceCertificate,
  makeMlsContext,
  makeNodeProvider,
} from '../inside.ts'

const HOUR_SEC = 3600
const nowSec = (): number => Math.floor(Date.now() / 1000)

export async function makeMlsPair(): Promise<{ alice: GroupSession; bob: GroupSession }> {
  const context = makeMlsContext(makeNodeProvider(), nowSec)
  const { provider } = context
  const founder = await memberOf(context)
  const joiner = await memberOf(context)
  const group = { groupId: provider.randomBytes(16), keyPackage: founder.keyPackage, settings: new Uint8Array() }
  const add = [{ accountId: joiner.accountId, keyPackage: joiner.keyPackage.publicBytes }]
  const { session, welcome } = await commitIntent(await createGroup(context, group), { add })
  const findKeyPackage = (reference: Uint8Array) =>
    equalBytes(reference, joiner.keyPackage.reference) ? joiner.keyPackage : undefined
  const joined = await joinFromWelcome(context, { welcome: welcome ?? new Uint8Array(), findKeyPackage })
  return { alice: session, bob: joined.session }
}

async function memberOf(context: MlsContext) {
  const { provider } = context
  const account = await provider.generateSigningKey()
  const deviceKey = await provider.generateSigningKey()
  const certificate = await makeDeviceCertificate(provider, {
    accountSecretKey: account.secretKey,
    devicePublicKey: deviceKey.publicKey,
    notAfterSec: nowSec() + HOUR_SEC,
  })
  const credential = credentialOf(account.publicKey, certificate)
  const lifetime = { notBeforeSec: nowSec() - HOUR_SEC, notAfterSec: nowSec() + HOUR_SEC }
  const keyPackage = await generateKeyPackage(context, { credential, deviceKey, lifetime })
  return { accountId: accountIdOf(provider, account.publicKey), keyPackage }
}
