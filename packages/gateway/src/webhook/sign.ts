// Makes the signature headers of an update: our own, and those of Standard Webhooks.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

export type SignedContent = { id: string; timestampSec: number; body: string }

const STANDARD_PREFIX = 'whsec_'

export class WebhookSigner {
  readonly #key: KeyObject
  readonly #standardKey: KeyObject

  constructor(secret: string) {
    this.#key = createSecretKey(Buffer.from(secret))
    // As the libraries of Standard Webhooks read it: the prefix is followed by the key's bytes in base64.
    this.#standardKey = secret.startsWith(STANDARD_PREFIX)
      ? createSecretKey(Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64'))
      : this.#key
  }

  headers({ id, timestampSec, body }: SignedContent): Record<string, string> {
    const standard = createHmac('sha256', this.#standardKey).update(`${id}.${timestampSec}.`).update(body)
    return {
      'x-service-signature': `sha256=${createHmac('sha256', this.#key).update(body).digest('hex')}`,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSec),
      'webhook-signature': `v1,${standard.digest('base64')}`,
    }
  }
}
