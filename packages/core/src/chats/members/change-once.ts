// A change of a chat under a caller's key: carried out once, however often it is asked for.
import type { ChatId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { findKey, type Idempotency, noteDone, noteKey } from '../../storage/state/idempotency-keys.ts'

type Asked = {
  idempotency: Idempotency | undefined
  /** `isRepeat`: an earlier try was cut off, and may have come true. */
  change: (isRepeat: boolean) => Promise<void>
}

/**
 * The key is written before the change and again after it. Cut off between the two, the change is asked for once more: each is
 * an intent, which does nothing where it holds already. Carried out again, it would undo what others have done since.
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
