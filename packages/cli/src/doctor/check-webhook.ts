// The webhook's receiver: the outcome of real deliveries, whether it answers, and on request a signed test.
import { randomUUID } from 'node:crypto'
import { type GatewayStatus, WebhookSigner } from '@postern/gateway'
import type { Clock } from '@postern/protocol'
import { askHttp, type HttpAnswer } from './ask-http.ts'
import { checkCertificate } from './check-certificate.ts'
import { type Diagnosis, fail, ok, quoted } from './finding.ts'

type WebhookCase = {
  webhook: { url: string; secret: string }
  status: GatewayStatus | undefined
  sendsTest: boolean
  clock: Clock
}

/** Not an update: it has neither an id nor a type. */
const TEST_BODY = JSON.stringify({ test: 'postern doctor' })

export async function checkWebhook(looked: WebhookCase): Promise<Diagnosis[]> {
  const answer = looked.sendsTest ? await sendTest(looked) : await knock(looked)
  // Nothing after the host: addresses of receivers often contain a secret.
  const { host } = new URL(looked.webhook.url)
  const fault = answerFault(answer, { host, sendsTest: looked.sendsTest }) ?? deliveryFault(looked, host)
  const certificate = checkCertificate(answer, { host, clock: looked.clock })
  if (fault) return [fault, ...certificate]
  return [ok('webhook', looked.sendsTest ? `${host} accepted a signed test` : `${host} answers`), ...certificate]
}

/** An OPTIONS request has no effect: a receiver must not mistake the doctor for an update. */
const knock = ({ webhook, clock }: WebhookCase): Promise<HttpAnswer> =>
  askHttp({ url: webhook.url, method: 'OPTIONS' }, clock)

async function sendTest({ webhook, clock }: WebhookCase): Promise<HttpAnswer> {
  const timestampSec = Math.floor(clock.nowMs() / 1000)
  const signed = new WebhookSigner(webhook.secret).headers({
    id: `test_${randomUUID()}`,
    timestampSec,
    body: TEST_BODY,
  })
  const headers = { 'content-type': 'application/json', ...signed }
  return await askHttp({ url: webhook.url, method: 'POST', headers, body: TEST_BODY }, clock)
}

type Question = { host: string; sendsTest: boolean }

function answerFault(answer: HttpAnswer, { host, sendsTest }: Question): Diagnosis | undefined {
  if (answer.kind === 'none') {
    const todo = 'check that the receiver is running, and that WEBHOOK_URL points to it'
    return fail('webhook', { text: `${host} cannot be reached: ${answer.why}`, todo: answer.todo ?? todo })
  }
  const { status } = answer
  if (status >= 300 && status < 400)
    return fail('webhook', {
      text: `${host} redirects, and the gateway does not follow redirects`,
      todo: 'use the address that it redirects to',
    })
  if (status >= 500) return fail('webhook', { text: `${host} answers ${status}`, todo: "check the receiver's log" })
  if (!sendsTest || status < 300) return undefined
  const isRefused = status === 401 || status === 403
  const todo = isRefused ? 'configure the receiver with the secret in WEBHOOK_SECRET' : 'check the path of WEBHOOK_URL'
  return fail('webhook', { text: `${host} answers ${status} to a signed test`, todo })
}

/** The time since the last success says more than one answer now. */
function deliveryFault({ status }: WebhookCase, host: string): Diagnosis | undefined {
  const { next_attempt_ts: nextTs, last_error: error, pending } = status?.webhook ?? { pending: 0 }
  if (nextTs === undefined || error === undefined) return undefined
  const text = `${pending} updates wait for ${host}, which does not accept them: ${quoted(error).replace(/\.$/, '')}`
  return fail('webhook', { text, todo: "check the receiver's log" })
}
