// The relay's own key at push services: made once, for all relays on the same data, and kept.
import { createECDH } from 'node:crypto'
import type { PushKeyPair, PushStore } from '../store/push-store.ts'

const newKeyPair = (): PushKeyPair => {
  const key = createECDH('prime256v1')
  const publicKey = key.generateKeys()
  // The library drops leading zeros of the number; its length is part of the format.
  const privateKey = new Uint8Array(32)
  privateKey.set(key.getPrivateKey(), 32 - key.getPrivateKey().length)
  return { privateKey, publicKey: new Uint8Array(publicKey) }
}

export class PushKeys {
  readonly #store: PushStore
  #held: PushKeyPair | undefined

  constructor(store: PushStore) {
    this.#store = store
  }

  async get(): Promise<PushKeyPair> {
    this.#held ??= await this.#store.keyPair(newKeyPair)
    return this.#held
  }
}
