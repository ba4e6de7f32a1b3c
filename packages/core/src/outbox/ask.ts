// What a caller asks to be said: the kind of content that makes a body of it, the time for it, and perhaps a key.
import type { ChatId, Deadline } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import type { ValidateContext } from '../kinds/kind.ts'
import type { Idempotency } from '../storage/state/idempotency-keys.ts'

export type SendRequest<Asked, Body extends KnownBody = KnownBody> = {
  kind: {
    check: (core: ValidateContext, chat: ChatId, asked: Asked) => void
    /** Made once it is clear that it was not sent before: what is repeated under its key may be too late by now. */
    body: (core: ValidateContext, chat: ChatId, asked: Asked) => Body
  }
  asked: Asked
  deadline: Deadline
  idempotency?: Idempotency
}
