// A caller's request to send: the kind of content, the fields of its body, a deadline, and possibly an idempotency key.
import type { ChatId, Deadline } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import type { ValidateContext } from '../kinds/kind.ts'
import type { Idempotency } from '../storage/state/idempotency-keys.ts'

export type SendRequest<Asked, Body extends KnownBody = KnownBody> = {
  kind: {
    check: (core: ValidateContext, chat: ChatId, asked: Asked) => void
    /** Called once it is clear that it was not sent before: a request repeated under its key may be too late by now. */
    body: (core: ValidateContext, chat: ChatId, asked: Asked) => Body
  }
  asked: Asked
  deadline: Deadline
  idempotency?: Idempotency
  /** The token of an invite link, which goes along with the sender's name. */
  token?: string
}
