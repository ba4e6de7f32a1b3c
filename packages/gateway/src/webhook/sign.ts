// The headers that prove to a receiver who sent an update: ours, and those of Standard Webhooks beside it.
import { createHmac } from 'node:crypto'

export type Signed = { id: string; timestampSec: number; body: Buffer }

const STANDARD_PREFIX = 'whsec_'

export class Signer {
  readonly #secret: string
  readonly #standardKey: Buffer

  constructor(secret: string) {
    this.#secret = secret
    // As the libraries of Standard Webhooks read it: behind the prefix stand the key's bytes in base64.
    this.#standardKey = secret.startsWith(STANDARD_PREFIX)
      ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
      : Buffer.from(secret)
  }

  headers({ id, timestampSec, body }: Signed): Record<string, string> {
    const standard = createHmac('sha256', this.#standardKey).update(`${id}.${timestampSec}.`).update(body)
    return {
      'x-service-signature': `sha256=${createHmac('sha256', this.#secret).update(body).digest('hex')}`,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSec),
      'webhook-signature': `v1,${standard.digest('base64')}`,
    }
  }
}
