// Joining a group by a Welcome. It comes from a stranger: everything in it is checked before it costs anything.
import { copyBytes, wireLimits } from '@postern/protocol'
import type { Welcome } from 'ts-mls'
import { joinGroup } from 'ts-mls/clientState.js'
import { ratchetTreeFromExtension } from 'ts-mls/groupInfo.js'
import { decodeMlsMessage } from 'ts-mls/message.js'
import { emptyPskIndex } from 'ts-mls/pskIndex.js'
import { decryptGroupInfo, decryptGroupSecrets } from 'ts-mls/welcome.js'
import { inspectingSuite } from '../crypto/inspecting-suite.ts'
import { KEY_BYTES, MLS_SUITE } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'
import { inspectGroupInfo, inspectWelcome } from '../wire/inspect.ts'
import { assertPathKeys, checkedRoster, settingsIn, withoutOldKeys } from './group-rules.ts'
import type { GroupSession } from './group-session.ts'
import { decodeKeyPackage, decodePrivate, type StoredKeyPackage } from './key-package.ts'
import type { MlsContext } from './mls-context.ts'

export interface JoinedGroup {
  session: GroupSession
  /** The reference of the used key package: it must not be used again. */
  reference: Uint8Array
  inviterLeaf: number
}

const malformed = (what: string, cause?: unknown) =>
  new MlsError('mls-malformed', `The welcome cannot be used: ${what}.`, { cause })

/** The key packages to which a welcome is addressed. */
export function welcomeReferences(welcomeBytes: Uint8Array): Uint8Array[] {
  return decodeWelcome(welcomeBytes).secrets.map(({ newMember }) => newMember.slice())
}

function decodeWelcome(bytes: Uint8Array): Welcome {
  if (bytes.length > wireLimits.welcomeBytesMax) throw malformed('it is too large')
  let decoded: ReturnType<typeof decodeMlsMessage>
  try {
    inspectWelcome(bytes)
    decoded = decodeMlsMessage(copyBytes(bytes), 0)
  } catch (cause) {
    throw malformed('it does not decode', cause)
  }
  if (decoded === undefined || decoded[1] !== bytes.length) throw malformed('it does not decode')
  const [message] = decoded
  if (message.wireformat !== 'mls_welcome') throw malformed('it is something else')
  if (message.welcome.cipherSuite !== MLS_SUITE) throw malformed('it is for another cipher suite')
  return message.welcome
}

export async function joinFromWelcome(
  context: MlsContext,
  invitation: { welcome: Uint8Array; findKeyPackage: (reference: Uint8Array) => StoredKeyPackage | undefined },
): Promise<JoinedGroup> {
  const welcome = decodeWelcome(invitation.welcome)
  for (const { newMember } of welcome.secrets) {
    const reference = newMember.slice()
    const stored = invitation.findKeyPackage(reference)
    if (stored === undefined) continue
    try {
      return { reference, ...(await join(context, welcome, { reference, stored })) }
    } catch (cause) {
      throw cause instanceof MlsError ? cause : malformed('it does not decrypt or verify', cause)
    }
  }
  throw new MlsError('mls-not-invited', 'The welcome names no key package of ours.')
}

async function join(
  context: MlsContext,
  welcome: Welcome,
  own: { reference: Uint8Array; stored: StoredKeyPackage },
): Promise<{ session: GroupSession; inviterLeaf: number }> {
  const { cipherSuite } = context.provider
  const keyPackage = decodeKeyPackage(own.stored.publicBytes)
  const keys = decodePrivate(own.stored.privateBytes)
  const inviterLeaf = await assertAffordable(context, welcome, {
    reference: own.reference,
    initPrivateKey: keys.initPrivateKey,
  })
  const joined = await joinGroup(
    welcome,
    keyPackage,
    keys,
    emptyPskIndex,
    cipherSuite,
    undefined,
    undefined,
    context.config,
  )
  const state = withoutOldKeys(joined)
  checkedRoster(context, state)
  assertPathKeys(context, state)
  return { session: { context, state }, inviterLeaf }
}

/** A welcome may hold a tree of a million blank nodes: hashing it would block the process for minutes. */
async function assertAffordable(
  { provider: { cipherSuite } }: MlsContext,
  welcome: Welcome,
  own: { reference: Uint8Array; initPrivateKey: Uint8Array },
): Promise<number> {
  const initKey = await cipherSuite.hpke.importPrivateKey(own.initPrivateKey)
  const secrets = await decryptGroupSecrets(initKey, own.reference, welcome, cipherSuite.hpke)
  if (secrets === undefined) throw malformed('its secrets do not decode')
  if (secrets.psks.length > 0) throw malformed('it asks for a pre-shared key')
  const noPsk = new Uint8Array(KEY_BYTES)
  const inspecting = inspectingSuite(cipherSuite, welcome.encryptedGroupInfo, inspectGroupInfo)
  const info = await decryptGroupInfo(welcome, secrets.joinerSecret, noPsk, inspecting)
  if (info === undefined) throw malformed('its group does not decode')
  if (ratchetTreeFromExtension(info) === undefined) throw malformed('it has no tree')
  // The requirements of a group are compared with every leaf: thirty thousand of them are not read.
  settingsIn(info.groupContext.extensions)
  return info.signer
}
