// Makes the signature headers of an update: our own, and those of Standard Webhooks.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

export type SignedContent = { id: string; timestampSec: number; body: string }

const STANDARD_PREFIX = 'whsec_'

export class WebhookSigner {
  readonly #key: KeyObject
  readonly #standardKeys: readonly KeyObject[]

  /** The previous secret signs, too: the standard allows several signatures, our own header has one. */
  constructor(secret: string, previousSecret?: string) {
    this.#key = createSecretKey(Buffer.from(secret))
    this.#standardKeys = [secret, ...(previousSecret === undefined ? [] : [previousSecret])].map(standardKeyOf)
  }

  headers({ id, timestampSec, body }: SignedContent): Record<string, string> {
    const signed = this.#standardKeys.map(key =>
      createHmac('sha256', key).update(`${id}.${timestampSec}.`).update(body).digest('base64'),
    )
    return {
      'x-service-signature': `sha256=${createHmac('sha256', this.#key).update(body).digest('hex')}`,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSec),
      'webhook-signature': signed.map(signature => `v1,${signature}`).join(' '),
    }
  }
}

/** As the libraries of Standard Webhooks read it: the prefix is followed by the key's bytes in base64. */
const standardKeyOf = (secret: string): KeyObject =>
  createSecretKey(
    secret.startsWith(STANDARD_PREFIX)
      ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
      : Buffer.from(secret),
  )
