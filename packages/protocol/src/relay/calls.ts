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
/** The keys of a browser's subscription: a point on P-256, and a secret. */
const PUSH_KEY_BYTES = 65
const PUSH_AUTH_BYTES = 16

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
/** Accepted, or refused because the group has moved on: then `epoch` is its current one. */
const verdict = struct({ accepted: optional(accepted), epoch: u53 })

const entryKinds = ['message', 'commit', 'welcome', 'direct', 'leave'] as const

const attentionKinds = ['none', 'message', 'mention'] as const

export const entry = struct({
  cursor: u53,
  group,
  seq: u53,
  kind: oneOf(entryKinds),
  sender: account,
  ts: u53,
  payload: bytes(wireLimits.welcomeBytesMax),
  /** The accounts that the sender of a commit named to the relay as added and removed; otherwise empty. */
  added: list(account, contentLimits.groupMembersMax),
  removed: list(account, contentLimits.groupMembersMax),
})
export type MailboxEntry = Infer<typeof entry>
/** Sealed by a member for the others, and of use only for seconds. */
export const ephemeral = struct({ sender: account, payload: bytes(wireLimits.ephemeralBytesMax) })
export type EphemeralFrame = Infer<typeof ephemeral>
export type AcceptedEntry = Infer<typeof accepted>
export type RelayVerdict = Infer<typeof verdict>

const call = <Request, Answer>(tag: number, request: Codec<Request>, answer: Codec<Answer>) => ({
  tag,
  request,
  answer,
})

const appended = {
  payload: bytes(wireLimits.messageBytesMax),
  /** Delivered to this member alone. */
  to: optional(account),
  /** The sender's last message: it is not a member afterwards. */
  leave: bool,
}

const sessionBefore = { account, cursor: u53, mark: u53, keyPackages: u32, nowMs: u53 }

export const calls = {
  authenticate: call(
    1,
    struct({
      accountKey: key,
      deviceKey: key,
      certificate: bytes(wireLimits.certificateBytesMax),
      /** The host that the client dialled, so that a relay in the middle cannot pass the proof on to another. */
      audience: text(wireLimits.audienceBytesMax),
      signature,
      intent: oneOf(['login', 'register']),
      /** For registering at a relay that requires an invite. */
      invite: optional(text(wireLimits.inviteBytesMax)),
    }),
    /** `incarnation` changes when the relay is restored from a backup. */
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
    /** `version` is the relay's current one: after a refusal, that of another client. */
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
      /**
       * The group that the new one continues: its members, including recent ones, may be added again without counting
       * as new people.
       */
      continues: optional(group),
    }),
    struct({ created: bool }),
  ),
  getGroup: call(8, struct({ group }), struct({ epoch: u53, members: list(account, contentLimits.groupMembersMax) })),
  append: call(9, struct(appended), verdict),
  commit: call(
    10,
    struct({
      payload: bytes(wireLimits.commitBytesMax),
      add: list(account, contentLimits.groupMembersMax),
      remove: list(account, contentLimits.groupMembersMax),
      /** For all added members. */
      welcome: optional(bytes(wireLimits.welcomeBytesMax)),
    }),
    verdict,
  ),
  /** The fate of an envelope whose answer was lost. */
  outcome: call(11, struct({ group, message }), verdict),
  follow: call(12, struct({ after: u53 }), struct({ head: u53 })),
  /** `size` is the maximum of bytes that will follow. */
  beginBlob: call(13, struct({ size: u53 }), struct({ blob, token: text(128) })),
  deleteBlob: call(14, struct({ blob }), none),
  /** Entries accepted before that time are in the mailbox at or below that cursor. */
  mailboxEnd: call(15, none, struct({ nowMs: u53, head: u53 })),
  /** Permanent. Signed by the account's key over the challenge of this connection: a device's key alone deletes nothing. */
  deleteAccount: call(16, struct({ signature }), none),
  /** A blob that is deleted earlier: `lifetimeMs` after it is complete, or after its first `fetches` fetchers. */
  beginLimitedBlob: call(
    17,
    struct({ size: u53, lifetimeMs: optional(u53), fetches: optional(u32) }),
    struct({ blob, token: text(128) }),
  ),
  /** Like `follow`, but each page names the position after which it begins, so that a reader notices a missing page. */
  followChained: call(18, struct({ after: u53 }), struct({ head: u53 })),
  /** Like `append`, and tells the relay for whose attention it is: devices that are away are then notified. */
  appendMarked: call(
    19,
    struct({
      ...appended,
      attention: oneOf(attentionKinds),
      /** For the notification: sealed by the sender, opened by the members. */
      preview: optional(bytes(wireLimits.previewBytesMax)),
    }),
    verdict,
  ),
  /** The public key by which push services know the relay, as an uncompressed point; absent if it does not push. */
  pushKey: call(20, none, struct({ key: optional(fixed(PUSH_KEY_BYTES)) })),
  /** Replaces the whole subscription of the device. Muted groups are pushed only for mentions. */
  setPush: call(
    21,
    struct({
      endpoint: text(wireLimits.pushEndpointBytesMax),
      p256dh: fixed(PUSH_KEY_BYTES),
      auth: fixed(PUSH_AUTH_BYTES),
      muted: list(group, wireLimits.mutedGroupsMax),
    }),
    none,
  ),
  clearPush: call(22, none, none),
  /** To the members of a group that are connected now. Nothing of it is stored, and nobody learns whom it reached. */
  sendEphemeral: call(23, struct({ payload: bytes(wireLimits.ephemeralBytesMax) }), none),
  /** From here on this connection receives what others send so. */
  followEphemeral: call(24, none, none),
  /** How many people whom the account does not know it may still add in this UTC day. */
  newPeopleLeft: call(25, none, struct({ left: u32 })),
} as const

export type CallName = keyof typeof calls
export type CallRequest<Name extends CallName> = Infer<(typeof calls)[Name]['request']>
export type CallAnswer<Name extends CallName> = Infer<(typeof calls)[Name]['answer']>

/** Answers to clients of the previous version, where they differ. */
export const answersBefore: { [Name in CallName]?: Pick<Codec<CallAnswer<Name>>, 'write'> } = {
  authenticate: struct(sessionBefore),
}
