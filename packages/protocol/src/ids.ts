// Ids as branded strings, so that a chat's id is never passed where a message's id is meant.
import { fromBase32, toBase32 } from './bytes.ts'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** Base32 of the first 20 bytes of SHA-256 of the account's public key: an id proves its key. */
export type AccountId = Branded<'AccountId'>
/** Base32 of an MLS group's 16 random bytes. */
export type GroupId = Branded<'GroupId'>
/** A private chat: the other person's account id. A group chat: its group id. */
export type ChatId = Branded<'ChatId'>
/** Base32 of the first 20 bytes of SHA-256 of the ciphertext: everybody computes the same, nobody can choose it. */
export type MessageId = Branded<'MessageId'>
/** Stays the same when a message is encrypted again, so that receivers can drop a repeat. */
export type SendId = Branded<'SendId'>
/** Base32 of a stored blob's 16 random bytes: everybody who knows it may fetch the ciphertext. */
export type BlobId = Branded<'BlobId'>
/** Base32 of 16 random bytes, chosen by the presser: one press of a button, however often it is sent. */
export type PressId = Branded<'PressId'>
/** Base32 of 16 random bytes: a start link in the API. It opens nothing. */
export type StartLinkId = Branded<'StartLinkId'>

export const ACCOUNT_ID_BYTES = 20
export const GROUP_ID_BYTES = 16
export const MESSAGE_ID_BYTES = 20
export const SEND_ID_BYTES = 16
export const BLOB_ID_BYTES = 16
export const PRESS_ID_BYTES = 16
export const START_LINK_ID_BYTES = 16

const hasBytes = (text: string, bytes: number): boolean => fromBase32(text)?.length === bytes

export const isAccountId = (text: string): text is AccountId => hasBytes(text, ACCOUNT_ID_BYTES)
export const isGroupId = (text: string): text is GroupId => hasBytes(text, GROUP_ID_BYTES)
export const isChatId = (text: string): text is ChatId => isAccountId(text) || isGroupId(text)
export const isMessageId = (text: string): text is MessageId => hasBytes(text, MESSAGE_ID_BYTES)
export const isSendId = (text: string): text is SendId => hasBytes(text, SEND_ID_BYTES)
export const isBlobId = (text: string): text is BlobId => hasBytes(text, BLOB_ID_BYTES)
export const isPressId = (text: string): text is PressId => hasBytes(text, PRESS_ID_BYTES)

/** From the SHA-256 of an account's public key. */
export const accountIdFromHash = (hash: Uint8Array): AccountId =>
  toBase32(hash.subarray(0, ACCOUNT_ID_BYTES)) as AccountId
/** From the SHA-256 of a ciphertext. */
export const messageIdFromHash = (hash: Uint8Array): MessageId =>
  toBase32(hash.subarray(0, MESSAGE_ID_BYTES)) as MessageId
export const groupIdFromBytes = (bytes: Uint8Array): GroupId => toBase32(bytes) as GroupId
export const groupIdToBytes = (id: GroupId): Uint8Array => bytesOf(id)
export const sendIdFromBytes = (bytes: Uint8Array): SendId => toBase32(bytes) as SendId
export const blobIdFromBytes = (bytes: Uint8Array): BlobId => toBase32(bytes) as BlobId
export const startLinkIdFromBytes = (bytes: Uint8Array): StartLinkId => toBase32(bytes) as StartLinkId
export const pressIdFromBytes = (bytes: Uint8Array): PressId => toBase32(bytes) as PressId

export const privateChatId = (account: AccountId): ChatId => account as string as ChatId
export const groupChatId = (group: GroupId): ChatId => group as string as ChatId

/** For ids that were checked when they were made. */
export function bytesOf(id: AccountId | GroupId | MessageId | SendId | BlobId): Uint8Array {
  const bytes = fromBase32(id)
  if (!bytes) throw new TypeError('an id that is no base32 text was branded unchecked')
  return bytes
}
