// Assembles a client: an account on a database, with its connection and background workers.
import { type MlsProvider, makeMlsContext } from '@postern/mls'
import { type Clock, isSameRelay, KeyedQueue, type Log } from '@postern/protocol'
import type { RecoveryFacts } from '@postern/protocol/content'
import { dropUnfinished } from '../chats/opening/drop-opening.ts'
import type { ChatTexts } from '../chats/records/chat-texts.ts'
import type { Core, RequestPolicy } from '../context.ts'
import type { FileCipher } from '../files/cipher/file-cipher.ts'
import { Files } from '../files/files.ts'
import type { BlobTransportFactory } from '../files/transport/blob-transport.ts'
import type { FileVault } from '../files/vault/file-vault.ts'
import { GroupSessions } from '../groups/group-sessions.ts'
import { LogOrder } from '../groups/log-order.ts'
import { SendSlots } from '../groups/send-slots.ts'
import {
  createAccount,
  type FirstStart,
  isRegistered,
  loadAccount,
  noteRelayInvite,
  type OwnAccount,
} from '../identity/account.ts'
import { chooseRelay } from '../identity/choose-relay.ts'
import { OwnDevice } from '../identity/own-device.ts'
import { Inbox } from '../inbox/inbox.ts'
import { EphemeralInbox } from '../inbox/receive-ephemeral.ts'
import { Journal, newestEventTs } from '../journal/journal.ts'
import { dueMs } from '../messages/age.ts'
import { newestMessageTs } from '../messages/messages.ts'
import { waitingBlobs, waitingCounts } from '../outbox/outbox.ts'
import { restoreAccount } from '../recovery/restore-account.ts'
import { RelayLink } from '../relay-link/relay-link.ts'
import type { SocketFactory } from '../relay-link/socket.ts'
import { ElapsedClock } from '../storage/state/elapsed-clock.ts'
import type { Store } from '../storage/transactions/store.ts'
import { Typists } from '../typing/typists.ts'
import { Chores } from '../upkeep/chores.ts'
import { startSession } from '../upkeep/start-session.ts'
import { Timekeeper } from '../upkeep/timekeeper.ts'
import { Upkeep } from '../upkeep/upkeep.ts'
import { Client } from './client.ts'

export interface ClientParts {
  store: Store
  provider: MlsProvider
  clock: Clock
  log: Log
  connect: SocketFactory
  connectBlobs: BlobTransportFactory
  fileCipher: FileCipher
  vault: FileVault
  /** Absent when no caller needs the whole list of chats as text. */
  chatTexts?: ChatTexts
  jitter: () => number
  acceptRequests: RequestPolicy
  reportsAll: boolean
  /** Called only when there is no account yet. An error that it throws stops the opening. */
  firstStart: () => AccountOrigin
  /** The address of the relay. A registered account follows it only if the relay there knows the account. */
  relayUrl?: string | undefined
  /** The code with which the relay accepts a new account. Not used once the account is registered. */
  relayInvite?: string | undefined
}

/** A new account, or a lost one that is rebuilt from its recovery facts. */
export type AccountOrigin = FirstStart | { restore: RecoveryFacts }

async function beginAccount(parts: ClientParts): Promise<OwnAccount> {
  const beginning = parts.firstStart()
  return 'restore' in beginning ? await restoreAccount(parts, beginning.restore) : await createAccount(parts, beginning)
}

export async function openClient(parts: ClientParts): Promise<Client> {
  const own = loadAccount(parts.store) ?? (await beginAccount(parts))
  const relayUrl = parts.relayUrl && !isSameRelay(parts.relayUrl, own.relayUrl) ? parts.relayUrl : own.relayUrl
  if (relayUrl !== own.relayUrl && !isRegistered(parts.store)) await chooseRelay(parts, own, relayUrl)
  if (parts.relayInvite !== undefined) await noteRelayInvite(parts.store, parts.relayInvite)
  const device = new OwnDevice({ ...parts, own })
  const elapsed = new ElapsedClock({
    ...parts,
    newestMs: () => Math.max(newestEventTs(parts.store), newestMessageTs(parts.store)),
  })
  const mls = makeMlsContext(parts.provider, () => Math.floor(dueMs({ ...parts, elapsed }) / 1000))
  const link = new RelayLink({
    relayUrl,
    connect: parts.connect,
    clock: parts.clock,
    log: parts.log,
    jitter: parts.jitter,
    prove: (nonce, audience) => device.prove({ nonce, audience }),
    onRevoked: error => device.noteRefused(error),
    onSession: session => startSession(core, { inbox, chores, journal }, session),
    onPage: page => inbox.deliver(page),
    onEphemeral: frame => ephemeral.receive(frame),
    afterTurn: run => parts.store.afterTurn(run),
    onTime: relayMs => {
      if (!elapsed.heard(relayMs)) return
      timekeeper.armDue()
      chores.wake()
    },
  })
  const core: Core = {
    ...parts,
    elapsed,
    own,
    relayUrl,
    device,
    mls,
    link,
    groups: new GroupSessions({ store: parts.store, mls, clock: parts.clock }),
    order: new LogOrder({ ...parts, elapsed }),
    files: new Files({
      ...parts,
      link,
      blobs: parts.connectBlobs(relayUrl),
      cipher: parts.fileCipher,
      randomBytes: count => parts.provider.randomBytes(count),
      waitingBlobs: () => waitingBlobs(parts.store),
      wakeChores: () => chores.wake(),
    }),
    typists: new Typists(parts.clock),
    openings: new KeyedQueue(),
    sendSlots: new SendSlots(parts.clock, waitingCounts(parts.store)),
    sending: new Set(),
    doubts: new Set(),
    relayDoubts: new Map(),
    openedFor: new Map(),
    rescheduleTimers: () => timekeeper.reschedule(),
    arrived: () => timekeeper.arrived(),
    decline: call => chores.decline(call),
    wakeChores: () => chores.wake(),
  }
  await dropUnfinished(core)
  const journal = new Journal(parts.store)
  const inbox = new Inbox(core)
  const ephemeral = new EphemeralInbox(core)
  const chores = new Chores(core)
  const timekeeper = new Timekeeper(core)
  const upkeep = new Upkeep(core, { chores, journal })
  return new Client(core, { inbox, chores, timekeeper, upkeep, journal })
}
