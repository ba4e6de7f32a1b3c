// The table of calls that a client can make to the relay, with their answers.
import { toBase32 } from '../bytes.ts'
import {
  bool,
  bytes,
  type Codec,
  fixed,
  type Infer,
  list,
  mapped,
  oneOf,
  optional,
  struct,
  text,
  u32,
  u53,
} from '../codec.ts'
import {
  ACCOUNT_ID_BYTES,
  type AccountId,
  BLOB_ID_BYTES,
  type BlobId,
  bytesOf,
  GROUP_ID_BYTES,
  type GroupId,
  MESSAGE_ID_BYTES,
  type MessageId,
} from '../ids.ts'
import { contentLimits, wireLimits } from '../limits.ts'

export const INCARNATION_BYTES = 16

const idCodec = <Id extends AccountId | GroupId | MessageId | BlobId>(byteCount: number): Codec<Id> =>
  mapped<Uint8Array, Id>(fixed(byteCount), { toWire: bytesOf, fromWire: raw => toBase32(raw) as Id })

const account = idCodec<AccountId>(ACCOUNT_ID_BYTES)
const group = idCodec<GroupId>(GROUP_ID_BYTES)
const message = idCodec<MessageId>(MESSAGE_ID_BYTES)
const blob = idCodec<BlobId>(BLOB_ID_BYTES)
const key = fixed(32)
const signature = fixed(64)
const none = struct({})

const accepted = struct({ message, seq: u53, ts: u53, duplicate: bool })
/** Accepted, or refused because the group has moved on: then `epoch` is where it stands. */
const verdict = struct({ accepted: optional(accepted), epoch: u53 })

const entryKinds = ['message', 'commit', 'welcome', 'direct', 'leave'] as const

export const entry = struct({
  cursor: u53,
  group,
  seq: u53,
  kind: oneOf(entryKinds),
  sender: account,
  ts: u53,
  payload: bytes(wireLimits.welcomeBytesMax),
  /** Of a commit, whom its sender named to the relay as added and as removed; else nobody. */
  added: list(account, contentLimits.groupMembersMax),
  removed: list(account, contentLimits.groupMembersMax),
})
export type MailboxEntry = Infer<typeof entry>
export type AcceptedEntry = Infer<typeof accepted>
export type RelayVerdict = Infer<typeof verdict>

const call = <Request, Answer>(tag: number, request: Codec<Request>, answer: Codec<Answer>) => ({
  tag,
  request,
  answer,
})

const sessionBefore = { account, cursor: u53, mark: u53, keyPackages: u32, nowMs: u53 }

export const calls = {
  authenticate: call(
    1,
    struct({
      accountKey: key,
      deviceKey: key,
      certificate: bytes(wireLimits.certificateBytesMax),
      /** The host that the client dialled: a relay in the middle cannot pass the proof on to another. */
      audience: text(wireLimits.audienceBytesMax),
      signature,
      intent: oneOf(['login', 'register']),
      /** For who registers at a relay that asks for it. */
      invite: optional(text(wireLimits.inviteBytesMax)),
    }),
    /** `incarnation`: another one after the relay was restored from a backup. */
    struct({ ...sessionBefore, incarnation: fixed(INCARNATION_BYTES) }),
  ),
  ping: call(2, none, struct({ nowMs: u53 })),
  publishKeyPackages: call(
    3,
    struct({
      oneTime: list(bytes(wireLimits.keyPackageBytesMax), wireLimits.keyPackagesPerPublishMax),
      lastResort: optional(bytes(wireLimits.keyPackageBytesMax)),
      /** Those published before can no longer be used. */
      replace: bool,
    }),
    struct({ keyPackages: u32 }),
  ),
  takeKeyPackages: call(
    4,
    struct({ accounts: list(account, wireLimits.keyPackagesPerTakeMax) }),
    struct({
      taken: list(
        struct({ account, keyPackage: bytes(wireLimits.keyPackageBytesMax), lastResort: bool }),
        wireLimits.keyPackagesPerTakeMax,
      ),
    }),
  ),
  putProfile: call(
    5,
    struct({ version: u32, blob: bytes(wireLimits.profileBytesMax) }),
    /** `version` is the one the relay has now: on a refusal, somebody else's. */
    struct({ accepted: bool, version: u32 }),
  ),
  getProfile: call(
    6,
    struct({ account }),
    struct({ accountKey: key, version: u32, blob: bytes(wireLimits.profileBytesMax) }),
  ),
  createGroup: call(
    7,
    struct({
      group,
      /** The group that the new one carries on: its people, those of late included, may be added anew without counting. */
      continues: optional(group),
    }),
    struct({ created: bool }),
  ),
  getGroup: call(8, struct({ group }), struct({ epoch: u53, members: list(account, contentLimits.groupMembersMax) })),
  append: call(
    9,
    struct({
      payload: bytes(wireLimits.messageBytesMax),
      /** Delivered to this member alone. */
      to: optional(account),
      /** The sender's last message: it is no member from here on. */
      leave: bool,
    }),
    verdict,
  ),
  commit: call(
    10,
    struct({
      payload: bytes(wireLimits.commitBytesMax),
      add: list(account, contentLimits.groupMembersMax),
      remove: list(account, contentLimits.groupMembersMax),
      /** For all who are added. */
      welcome: optional(bytes(wireLimits.welcomeBytesMax)),
    }),
    verdict,
  ),
  /** What became of an envelope whose answer was lost. */
  outcome: call(11, struct({ group, message }), verdict),
  follow: call(12, struct({ after: u53 }), struct({ head: u53 })),
  /** At most so many bytes will come. */
  beginBlob: call(13, struct({ size: u53 }), struct({ blob, token: text(128) })),
  deleteBlob: call(14, struct({ blob }), none),
  /** What was accepted before that time stands in the mailbox at or below that cursor. */
  mailboxEnd: call(15, none, struct({ nowMs: u53, head: u53 })),
  /** For good. Signed by the account's key, over the challenge of this connection: a device's key alone deletes nothing. */
  deleteAccount: call(16, struct({ signature }), none),
  /** A blob that is gone earlier than others: so long after it is complete, or for all but the first fetchers. */
  beginLimitedBlob: call(
    17,
    struct({ size: u53, lifetimeMs: optional(u53), fetches: optional(u32) }),
    struct({ blob, token: text(128) }),
  ),
  /** Like `follow`, and each page names the position behind which it begins: a reader sees that a page is missing. */
  followChained: call(18, struct({ after: u53 }), struct({ head: u53 })),
} as const

export type CallName = keyof typeof calls
export type CallRequest<Name extends CallName> = Infer<(typeof calls)[Name]['request']>
export type CallAnswer<Name extends CallName> = Infer<(typeof calls)[Name]['answer']>

/** How clients of the version before are answered, where that differs. */
export const answersBefore: { [Name in CallName]?: Pick<Codec<CallAnswer<Name>>, 'write'> } = {
  authenticate: struct(sessionBefore),
}
