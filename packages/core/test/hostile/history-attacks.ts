// The attacks of members with modified clients in the random histories:
// each is possible with real keys and an honest relay.
import { commitIntent, createGroup, epoch } from '@postern/mls'
import {
  type AccountId,
  type ChatId,
  GROUP_ID_BYTES,
  type GroupId,
  groupIdFromBytes,
  groupIdToBytes,
  privateChatId,
} from '@postern/protocol'
import { encodeGroupSettings, type GroupSettings } from '@postern/protocol/content'
import { type CallRequest, decodeClientFrame, encodeClientFrame } from '@postern/protocol/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { decodeMlsMessage, encodeMlsMessage } from 'ts-mls/message.js'
import { ensurePrivateChat } from '../../src/chats/opening/open-chat.ts'
import { findChat, membersOf } from '../../src/chats/records/chats.ts'
import { endedOf } from '../../src/chats/records/known-chat.ts'
import { makeKeyPackage } from '../../src/identity/key-packages.ts'
import type { GroupChatSettings } from '../../src/judge/successor.ts'
import { sendMark } from '../../src/outbox/ask-for-mark.ts'
import { newDraft } from '../../src/outbox/compose.ts'
import { sendContent } from '../../src/outbox/send-content.ts'
import { commitAs, coreOf, deadlineOf, farewellProof, forgeWelcome, groupOf, keyPackagesOf } from './modified-client.ts'
import { speakIn } from './team.ts'

/** The victim, the chat, and a stranger to the chat. */
export type Target = { chat: ChatId; victim: AccountId; stranger: AccountId }
export type Attack = (attacker: TestPerson, target: Target) => Promise<void>

function settingsOf(attacker: TestPerson, chat: ChatId): GroupChatSettings {
  const row = findChat(coreOf(attacker).store, chat)
  const ended = row && endedOf(coreOf(attacker).store, row)
  if (!ended) throw new Error(`${attacker.name} has no such group`)
  return ended.settings
}

const othersOf = (attacker: TestPerson, chat: ChatId): AccountId[] =>
  membersOf(coreOf(attacker).store, chat)
    .map(member => member.account_id)
    .filter(account => account !== attacker.id)

async function epochIn(attacker: TestPerson, group: GroupId): Promise<number> {
  return await coreOf(attacker).groups.run(group, async live => epoch(live.session))
}

/** The header of an entry in the group's epoch, followed by noise. */
async function noise(
  attacker: TestPerson,
  { chat, contentType }: { chat: ChatId; contentType: 1 | 3 },
): Promise<Uint8Array> {
  const group = groupOf(attacker, chat)
  const payload = coreOf(attacker).provider.randomBytes(200)
  const view = new DataView(payload.buffer, payload.byteOffset)
  view.setUint16(0, 1)
  view.setUint16(2, 2)
  view.setUint8(4, GROUP_ID_BYTES)
  payload.set(groupIdToBytes(group), 5)
  view.setBigUint64(21, BigInt(await epochIn(attacker, group)))
  view.setUint8(29, contentType)
  return payload
}

type CommitCall = CallRequest<'commit'>

/** The next commit reaches the relay with other lists, or another welcome, than its maker's client made. */
function bendCommit(attacker: TestPerson, bend: (request: CommitCall) => CommitCall): void {
  const { wire } = attacker
  wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'commit') return [bytes]
    wire.outgoing = frame => [frame]
    return [encodeClientFrame({ ...frame, request: bend(frame.request) })]
  }
}

type Made = {
  settings: GroupChatSettings
  members: AccountId[]
  told?: AccountId[]
  welcomes?: (welcome: Uint8Array) => Uint8Array
}

/**
 * A group made by the attacker that claims to carry the chat on. The relay receives fewer members if `told` names them.
 */
async function succeed(
  attacker: TestPerson,
  chat: ChatId,
  { settings, members, told = members, welcomes = welcome => welcome }: Made,
): Promise<void> {
  const core = coreOf(attacker)
  const continues = groupOf(attacker, chat)
  const id = core.provider.randomBytes(GROUP_ID_BYTES)
  const group = groupIdFromBytes(id)
  const first = await createGroup(core.mls, {
    groupId: id,
    keyPackage: await makeKeyPackage(core),
    settings: encodeGroupSettings(settings),
  })
  const taken = await keyPackagesOf(attacker, members)
  const add = taken.map(({ account, keyPackage }) => ({ accountId: account, keyPackage }))
  const { wire: payload, welcome } = await commitIntent(first, { add })
  const leftMs = () => deadlineOf(attacker).leftMs()
  await core.link.call('createGroup', { group, continues }, leftMs())
  await core.link.call('commit', { payload, add: told, remove: [], welcome: welcome && welcomes(welcome) }, leftMs())
}

/** The secrets of one of the welcomed members, in the order in which they were added, are of no use. */
function spoiltFor(bytes: Uint8Array, at: number): Uint8Array {
  const message = decodeMlsMessage(bytes, 0)?.[0]
  if (message?.wireformat !== 'mls_welcome') throw new Error('this is no welcome')
  const { ciphertext } = message.welcome.secrets[at]?.encryptedGroupSecrets ?? { ciphertext: bytes }
  ciphertext[0] = (ciphertext[0] ?? 0) ^ 1
  return encodeMlsMessage(message)
}

const nextOf = (attacker: TestPerson, chat: ChatId): GroupChatSettings => {
  const settings = settingsOf(attacker, chat)
  return { ...settings, chat, generation: settings.generation + 1 }
}

const changing =
  (change: (settings: GroupChatSettings, attacker: TestPerson, target: Target) => GroupSettings): Attack =>
  async (attacker, target) => {
    const settings = change(settingsOf(attacker, target.chat), attacker, target)
    await commitAs(attacker, target.chat, () => ({ settings }))
  }

async function killGroup(attacker: TestPerson, { chat }: Target): Promise<void> {
  const payload = await noise(attacker, { chat, contentType: 3 })
  const request = { payload, add: [], remove: [], welcome: undefined }
  await coreOf(attacker).link.call('commit', request, deadlineOf(attacker).leftMs())
}

async function readdWithout(attacker: TestPerson, { chat, victim }: Target, spoil: (call: CommitCall) => CommitCall) {
  const add = await keyPackagesOf(attacker, [victim])
  bendCommit(attacker, spoil)
  await commitAs(attacker, chat, () => ({ add, remove: [victim] }))
}

/**
 * These leave some members behind in the previous group: concurrent changes of honest people in both are not merged.
 */
export const SPLITTING = {
  welcome: 'carries on with a welcome that one cannot read',
  told: 'carries on with all, and tells one',
}

export const attacks: Record<string, Attack> = {
  'removes somebody': async (attacker, { chat, victim }) => commitAs(attacker, chat, () => ({ remove: [victim] })),
  'names itself admin': changing((settings, { id }) => ({ ...settings, admins: [...settings.admins, id] })),
  'changes the type': changing(() => ({ v: 1, type: 'private', generation: 0, timerMs: 0 })),
  'changes the generation': changing((settings, _attacker, { chat }) => ({ ...settings, chat, generation: 7 })),
  'makes a commit that nobody can read': killGroup,
  'cuts somebody off by the list': async (attacker, { chat, victim }) => {
    bendCommit(attacker, call => ({ ...call, remove: [...call.remove, victim] }))
    await commitAs(attacker, chat, () => ({}))
  },
  'lets a stranger listen by the list': async (attacker, { chat, stranger }) => {
    bendCommit(attacker, call => ({ ...call, add: [stranger], welcome: new Uint8Array(200) }))
    await commitAs(attacker, chat, () => ({}))
  },
  'adds somebody anew with a spoilt welcome': async (attacker, target) =>
    readdWithout(attacker, target, call => ({ ...call, welcome: new Uint8Array(200) })),
  'adds somebody anew with no welcome': async (attacker, target) =>
    readdWithout(attacker, target, call => ({ ...call, add: [], welcome: undefined })),
  'sends noise as a message': async (attacker, { chat }) => {
    const payload = await noise(attacker, { chat, contentType: 1 })
    const request = { payload, to: undefined, leave: false }
    await coreOf(attacker).link.call('append', request, deadlineOf(attacker).leftMs())
  },
  'carries on without somebody': async (attacker, { chat, victim }) => {
    const members = othersOf(attacker, chat).filter(account => account !== victim)
    await succeed(attacker, chat, { settings: nextOf(attacker, chat), members })
  },
  'carries on as an admin': async (attacker, { chat }) => {
    const settings = { ...nextOf(attacker, chat), admins: [attacker.id] }
    await succeed(attacker, chat, { settings, members: othersOf(attacker, chat) })
  },
  'carries on with all': async (attacker, { chat }) =>
    succeed(attacker, chat, { settings: nextOf(attacker, chat), members: othersOf(attacker, chat) }),
  [SPLITTING.told]: async (attacker, { chat, victim }) =>
    succeed(attacker, chat, { settings: nextOf(attacker, chat), members: othersOf(attacker, chat), told: [victim] }),
  'carries on as the last generation': async (attacker, { chat }) => {
    const settings = { ...nextOf(attacker, chat), generation: 2 ** 40 }
    await succeed(attacker, chat, { settings, members: othersOf(attacker, chat) })
  },
  'kills, and carries on as an admin': async (attacker, target) => {
    const settings = { ...nextOf(attacker, target.chat), admins: [attacker.id] }
    const members = othersOf(attacker, target.chat)
    await killGroup(attacker, target)
    await succeed(attacker, target.chat, { settings, members })
  },
  'ends the group, and welcomes somebody into its own': async (attacker, { chat, victim }) => {
    const group = groupOf(attacker, chat)
    const settings = { ...settingsOf(attacker, chat), admins: [attacker.id] }
    const others = othersOf(attacker, chat).filter(account => account !== victim)
    const { welcome } = await forgeWelcome(attacker, { group, settings, victim, others, epochs: 9 })
    const payload = await noise(attacker, { chat, contentType: 3 })
    const request = { payload, add: [victim], remove: [victim], welcome }
    await coreOf(attacker).link.call('commit', request, deadlineOf(attacker).leftMs())
  },
  [SPLITTING.welcome]: async (attacker, { chat, victim }) => {
    const members = othersOf(attacker, chat)
    const welcomes = (welcome: Uint8Array) => spoiltFor(welcome, members.indexOf(victim))
    await succeed(attacker, chat, { settings: nextOf(attacker, chat), members, welcomes })
  },
  'carries on with spoilt welcomes': async (attacker, { chat }) =>
    succeed(attacker, chat, {
      settings: nextOf(attacker, chat),
      members: othersOf(attacker, chat),
      welcomes: () => new Uint8Array(200),
    }),
  'sends its words again': async (attacker, { chat }) => {
    const { wire } = attacker
    let said: Uint8Array | undefined
    wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      if (frame.kind === 'call' && frame.name === 'appendMarked' && !frame.request.to) said = bytes.slice()
      return [bytes]
    }
    await attacker.say(chat, `again and again ${attacker.name}`)
    wire.outgoing = frame => [frame]
    if (said) for (let times = 0; times < 2; times++) wire.say(said)
  },
  'tells of another history': async (attacker, { chat, victim }) => {
    const group = groupOf(attacker, chat)
    const mark = { group, epoch: await epochIn(attacker, group), mark: 'A'.repeat(22) }
    await sendMark(coreOf(attacker), { account: victim, mark }, deadlineOf(attacker))
  },
  'asks to be added anew, and again': async (attacker, { chat, victim }) => {
    const core = coreOf(attacker)
    await ensurePrivateChat(core, { account: victim }, deadlineOf(attacker))
    const draft = () => newDraft(core, { kind: 'rejoin', group: groupOf(attacker, chat) })
    for (let times = 0; times < 2; times++)
      await sendContent(core, privateChatId(victim), { draft: draft(), deadline: deadlineOf(attacker) })
  },
}

const sayFarewell = async (attacker: TestPerson, chat: ChatId, proof: string): Promise<void> =>
  speakIn(attacker, groupOf(attacker, chat), { body: { kind: 'leave', proof } })

/** Beside the others, so that the histories of seeds that have found a fault stay as they were. */
export const farewells: Record<string, Attack> = {
  'says a farewell that it has not signed': async (attacker, { chat }) => sayFarewell(attacker, chat, 'A'.repeat(86)),
  'says farewell, and stays': async (attacker, { chat }) =>
    sayFarewell(attacker, chat, await farewellProof(attacker, chat)),
  'says farewell, and gets another leaf': async (attacker, { chat }) => {
    await sayFarewell(attacker, chat, await farewellProof(attacker, chat))
    await commitAs(attacker, chat, () => ({}))
  },
  leaves: async (attacker, { chat }) => attacker.client.chats.leaveGroup(chat, WITHIN),
}
