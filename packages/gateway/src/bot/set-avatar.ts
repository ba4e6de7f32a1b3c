// Sets the bot's picture, from an upload or from BOT_AVATAR. Uploads are limited: each may need much memory.
import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Client } from '@postern/core'
import { makeAvatar } from '@postern/media'
import { CodedError, ConcurrencyLimit, gatewayLimits, isCoded, SerialQueue } from '@postern/protocol'
import { settingFault } from '../config.ts'
import type { OperatorState } from '../queue/operator-state.ts'
import { assertRegistered } from './get-me.ts'

export type AvatarUpload = AsyncIterable<Uint8Array>

export class Avatars {
  readonly #client: Client
  readonly #slots = new ConcurrencyLimit({ max: gatewayLimits.avatarUploadsMax, what: 'pictures are being uploaded' })
  readonly #settings = new SerialQueue()

  constructor(client: Client) {
    this.#client = client
  }

  async set(upload: AvatarUpload): Promise<void> {
    assertRegistered(this.#client)
    const free = this.#slots.reserve()
    try {
      const bytes = await readWhole(upload)
      await this.#settings.run(async () => this.#client.identity.setProfile({ avatar: await makeAvatar(bytes) }))
    } finally {
      free()
    }
  }
}

/** When the file differs from the one last applied: a picture that was uploaded since then stays. */
export async function applyAvatarFile(client: Client, path: string, state: OperatorState): Promise<void> {
  try {
    const bytes = await readWhole(createReadStream(path) as AvatarUpload)
    const avatarHash = hash('sha256', bytes)
    if (avatarHash === state.avatarHash) return
    await client.identity.setProfile({ avatar: await makeAvatar(bytes) })
    await state.keep({ avatarHash })
  } catch (error) {
    if (isCoded(error, 'bad-field')) throw settingFault('BOT_AVATAR', String(error.details['rule']))
    if (error instanceof CodedError) throw error
    throw settingFault('BOT_AVATAR', `the file ${JSON.stringify(path)} cannot be read`)
  }
}

/** Stops reading at the first byte over the limit: a caller cannot fill the memory by sending more. */
async function readWhole(upload: AvatarUpload): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of upload) {
    length += chunk.length
    if (length > gatewayLimits.avatarUploadBytesMax)
      throw new CodedError('bad-field', {
        field: 'picture',
        rule: `must have at most ${gatewayLimits.avatarUploadBytesMax} bytes`,
      })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
