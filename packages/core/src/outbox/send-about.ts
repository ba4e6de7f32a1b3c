// Sends content about a message, once under its key: a repeated request finds that it was sent.
import type { ChatId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { SendRequest } from './ask.ts'
import { newDraft } from './compose.ts'
import { findEarlier } from './idempotency.ts'
import { sendContent } from './send-content.ts'

export async function sendAbout<Asked>(core: Core, chat: ChatId, ask: SendRequest<Asked>): Promise<void> {
  const { kind, asked, deadline, idempotency } = ask
  if (idempotency) await core.link.whenOnline(deadline.leftMs())
  const earlier = idempotency && (await findEarlier(core, chat, { given: idempotency, deadline }))
  if (earlier?.kind === 'sent') return
  // Only for a new request: a poll that was closed under this key would be refused as closed.
  kind.check(core, chat, asked)
  const draft = {
    ...newDraft(core, kind.body(core, chat, asked)),
    body: () => {
      kind.check(core, chat, asked)
      return kind.body(core, chat, asked)
    },
    ...(earlier && { send: earlier.send }),
    ...(idempotency && { idempotency }),
  }
  await sendContent(core, chat, { draft, deadline })
}
