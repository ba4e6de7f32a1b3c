// A change of a chat under a caller's key: carried out once, however often it is requested.
import type { ChatId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { findKey, type Idempotency, noteDone, noteKey } from '../../storage/state/idempotency-keys.ts'

type Asked = {
  idempotency: Idempotency | undefined
  /** `isRepeat`: an earlier try was cut off, and may have taken effect. */
  change: (isRepeat: boolean) => Promise<void>
}

/**
 * The key is written before the change and again after it. If it is cut off between the two, the change is requested
 * again: each change is an intent, which does nothing where it already holds. A change that was completed must not run
 * again: it would undo later changes of others.
 */
export async function changeOnce(
  { store, elapsed }: Pick<Core, 'store' | 'elapsed'>,
  chat: ChatId,
  { idempotency, change }: Asked,
): Promise<void> {
  if (!idempotency) return await change(false)
  const earlier = findKey({ store, elapsed }, idempotency)
  if (typeof earlier?.ts === 'number') return
  await store.write(database => noteKey(database, idempotency, { subject: chat, nowMs: elapsed.nowMs() }))
  await change(earlier !== undefined)
  await store.write(database => noteDone(database, idempotency, elapsed.nowMs()))
}
