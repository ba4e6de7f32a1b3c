// The webhook's receiver: what became of real deliveries, whether it answers, and where that is asked for a signed test.
import { randomUUID } from 'node:crypto'
import { type GatewayStatus, Signer } from '@postern/gateway'
import type { Clock } from '@postern/protocol'
import { askHttp, type HttpAnswer } from './ask-http.ts'
import { type Finding, fail, ok, quoted } from './finding.ts'

type WebhookCase = {
  webhook: { url: string; secret: string }
  status: GatewayStatus | undefined
  sendsTest: boolean
  clock: Clock
}

/** No update: it has neither an id nor a type. */
const TEST_BODY = JSON.stringify({ test: 'postern doctor' })

export async function lookAtWebhook(looked: WebhookCase): Promise<Finding[]> {
  const answer = looked.sendsTest ? await sendTest(looked) : await knock(looked)
  // Nothing behind the host: addresses of receivers often hold a secret.
  const { host } = new URL(looked.webhook.url)
  const fault = answerFault(answer, { host, sendsTest: looked.sendsTest }) ?? deliveryFault(looked, host)
  if (fault) return [fault]
  return [ok('webhook', looked.sendsTest ? `${host} took a signed test` : `${host} answers`)]
}

/** It asks what can be asked for, and does nothing: a receiver must not take the doctor for an update. */
const knock = ({ webhook, clock }: WebhookCase): Promise<HttpAnswer> =>
  askHttp({ url: webhook.url, method: 'OPTIONS' }, clock)

async function sendTest({ webhook, clock }: WebhookCase): Promise<HttpAnswer> {
  const timestampSec = Math.floor(clock.nowMs() / 1000)
  const signed = new Signer(webhook.secret).headers({ id: `test_${randomUUID()}`, timestampSec, body: TEST_BODY })
  const headers = { 'content-type': 'application/json', ...signed }
  return await askHttp({ url: webhook.url, method: 'POST', headers, body: TEST_BODY }, clock)
}

type Question = { host: string; sendsTest: boolean }

function answerFault(answer: HttpAnswer, { host, sendsTest }: Question): Finding | undefined {
  if (answer.kind === 'none') {
    const todo = 'see that it runs, and that WEBHOOK_URL leads to it'
    return fail('webhook', { text: `${host} cannot be reached: ${answer.why}`, todo })
  }
  const { status } = answer
  if (status >= 300 && status < 400)
    return fail('webhook', { text: `${host} redirects, which is not followed`, todo: 'name the address it leads to' })
  if (status >= 500) return fail('webhook', { text: `${host} answers ${status}`, todo: "see the receiver's log" })
  if (!sendsTest || status < 300) return undefined
  const isRefused = status === 401 || status === 403
  const todo = isRefused ? 'give the receiver the secret in WEBHOOK_SECRET' : 'see that WEBHOOK_URL has the right path'
  return fail('webhook', { text: `${host} answers ${status} to a signed test`, todo })
}

/** Since when it is so says more than one answer of now. */
function deliveryFault({ status }: WebhookCase, host: string): Finding | undefined {
  const { next_attempt_ts: nextTs, last_error: error, pending } = status?.webhook ?? { pending: 0 }
  if (nextTs === undefined || error === undefined) return undefined
  const text = `${pending} updates wait for ${host}, which does not take them: ${quoted(error).replace(/\.$/, '')}`
  return fail('webhook', { text, todo: "see the receiver's log" })
}
