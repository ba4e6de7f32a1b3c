// Sets the picture of the bot or of a group, from an upload or from BOT_AVATAR. Uploads are limited: each may need much memory.
import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Chat } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { makeAvatar, makeGroupPicture } from '@postern/media'
import { type ChatId, CodedError, ConcurrencyLimit, gatewayLimits, isCoded, SerialQueue } from '@postern/protocol'
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
    await this.#inPlace(upload, async bytes => {
      await this.#settings.run(async () => this.#client.identity.setProfile({ avatar: await makeAvatar(bytes) }))
    })
  }

  /** Without a body of 20 MB for a chat that is none, or no group. */
  async setOfGroup(chat: ChatId, upload: AvatarUpload): Promise<Chat> {
    const { chats } = this.#client
    if (chats.get(chat).type !== 'group') throw new CodedError('not-a-group')
    return await this.#inPlace(upload, async bytes =>
      chats.setGroupPicture(chat, await makeGroupPicture(bytes), { timeoutMs: gatewayLimits.sendWithinMs }),
    )
  }

  async #inPlace<Result>(upload: AvatarUpload, use: (bytes: Uint8Array) => Promise<Result>): Promise<Result> {
    const free = this.#slots.reserve()
    try {
      return await use(await readWhole(upload))
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
