// A body that is no JSON, as its handler gets it: raw bytes, or a form with a file. Nothing is read before somebody asks.
import type { Endpoint } from '@postern/bot-api'
import { type Clock, gatewayLimits } from '@postern/protocol'
import type { FastifyRequest } from 'fastify'
import { badField } from './errors.ts'
import { boundaryOf, openForm } from './forms/forms.ts'
import { bodyOf, forgetRest } from './uploads.ts'

type Incoming = {
  parts: { upload: unknown; form: unknown }
  /** After the handler: whatever it left unread. */
  leave: () => void
}

/** Undefined where the body is JSON, or nothing. */
export function incomingBody(
  request: FastifyRequest,
  { endpoint: { upload, form }, clock }: { endpoint: Endpoint; clock: Clock },
): Incoming | undefined {
  if (!upload && !form) return undefined
  const bytesMax = form ? form.fileBytesMax + gatewayLimits.formAroundFileBytesMax : (upload?.bytesMax ?? 0)
  const tooMany = () =>
    form
      ? badField('file', `at most ${form.fileBytesMax} bytes are allowed`)
      : badField('body', `at most ${bytesMax} bytes are allowed`)
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
