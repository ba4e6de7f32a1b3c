// What is said about a message, once under its key: whoever asks again finds that it was said.
import type { ChatId, Deadline } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import type { Core } from '../context.ts'
import type { Idempotency } from '../storage/sent-keys.ts'
import { newDraft } from './compose.ts'
import { findEarlier } from './idempotency.ts'
import { sendDraft } from './send.ts'

export type Saying = {
  body: KnownBody
  /** Throws unless it may be said. Not asked when it was said before: what it changed may forbid it now. */
  assertAllowed: () => void
  deadline: Deadline
  idempotency?: Idempotency
}

export async function sayOnce(core: Core, chat: ChatId, saying: Saying): Promise<void> {
  const { body, assertAllowed, deadline, idempotency } = saying
  if (idempotency) await core.link.whenOnline(deadline.leftMs())
  const earlier = idempotency && (await findEarlier(core, chat, { given: idempotency, deadline }))
  if (earlier?.kind === 'sent') return
  assertAllowed()
  const draft = {
    ...newDraft(core, body),
    ...(earlier && { send: earlier.send }),
    ...(idempotency && { idempotency }),
  }
  await sendDraft(core, chat, { draft, deadline })
}
