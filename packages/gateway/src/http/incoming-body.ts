// A body that is not JSON, as raw bytes or as a form with a file. Nothing is read before the handler asks for it.
import type { Endpoint } from '@postern/bot-api'
import { type Clock, gatewayLimits } from '@postern/protocol'
import type { FastifyRequest } from 'fastify'
import { badField } from './errors.ts'
import { boundaryOf, openForm, tooManyBytes } from './forms/forms.ts'
import { bodyOf, forgetRest } from './uploads.ts'

type Incoming = {
  parts: { upload: unknown; form: unknown }
  /** Called after the handler; discards the unread rest. */
  leave: () => void
}

/** Undefined if the body is JSON or absent. */
export function incomingBody(
  request: FastifyRequest,
  { endpoint: { upload, form }, clock }: { endpoint: Endpoint; clock: Clock },
): Incoming | undefined {
  if (!upload && !form) return undefined
  const bytesMax = form ? form.fileBytesMax + gatewayLimits.formAroundFileBytesMax : (upload?.bytesMax ?? 0)
  const tooMany = () => (form ? tooManyBytes(form) : badField('body', `must have at most ${bytesMax} bytes`))
  const bytes = bodyOf(request, { clock, bytesMax, tooMany, pieces: form ? 'brief' : 'kept' })
  const length = Number(request.headers['content-length'])
  return {
    parts: {
      upload: upload && bytes,
      form: form && {
        bytesHint: Number.isSafeInteger(length) ? length : undefined,
        open: () => openForm(bytes, { boundary: boundaryOf(request.headers['content-type']), rules: form }),
      },
    },
    leave: () => void bytes.return(undefined).finally(() => forgetRest(request, { clock })),
  }
}
