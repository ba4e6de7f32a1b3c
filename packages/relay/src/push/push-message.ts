// The content of a push and its headers. Only the browser that subscribed can read the content.
import { createHmac } from 'node:crypto'
import { type GroupId, pushLimits } from '@postern/protocol'
import type { DueDevice } from '../store/push-store.ts'
import type { ReadyPush } from './device-pushes.ts'
import type { PushPost } from './post-push.ts'
import { paddedPush, sealPush } from './seal-push.ts'
import type { Vapid } from './vapid.ts'

const TOPIC_BYTES = 24

/** By a key: the push service learns neither the group nor that two devices share one. */
const topicOf = (key: Uint8Array, device: string, group: GroupId): string =>
  createHmac('sha256', key)
    .update(`postern push topic\0${device}\0${group}`)
    .digest()
    .subarray(0, TOPIC_BYTES)
    .toString('base64url')

type Written = { push: ReadyPush; preview: Uint8Array | undefined; topicKey: Uint8Array; vapid: Vapid }

/** Undefined if nobody could read it: the key of the subscription is none. */
export function pushPost(due: DueDevice, { push, preview, topicKey, vapid }: Written): PushPost | undefined {
  const { group, count, isMention, newest } = push
  const content = {
    v: 1,
    group,
    count,
    attention: isMention ? 'mention' : 'message',
    sender: newest.sender,
    message: newest.message,
    ts: newest.ts,
    preview: preview && Buffer.from(preview).toString('base64url'),
  }
  const endpoint = new URL(due.endpoint)
  const body = sealedFor(due, JSON.stringify(content))
  return (
    body && {
      endpoint,
      headers: {
        Authorization: vapid.authorization(endpoint),
        'Content-Encoding': 'aes128gcm',
        'Content-Type': 'application/octet-stream',
        TTL: String(pushLimits.ttlMs / 1000),
        Topic: topicOf(topicKey, due.device, group),
        Urgency: 'high',
      },
      body,
    }
  )
}

function sealedFor(due: DueDevice, json: string): Buffer | undefined {
  try {
    return sealPush(paddedPush(json), due)
  } catch {
    return undefined
  }
}
