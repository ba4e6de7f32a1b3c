// Sets the picture of a group from a file of this machine: its square middle, small, without its metadata.
import type { Chat } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { makeGroupPicture } from '@postern/media'
import { gatewayLimits, isCoded, personLimits } from '@postern/protocol'
import type { FieldsOf } from './command-fields.ts'
import { openToRead } from './open-to-read.ts'
import { badPath, fileFault } from './path-faults.ts'

const within = { timeoutMs: personLimits.commandWithinMs }

export async function setLocalPicture(client: Client, { chat, path }: FieldsOf<'picture'>): Promise<Chat> {
  const picture = path === null ? null : await smallPicture(path)
  return await client.chats.setGroupPicture(chat, picture, within)
}

async function smallPicture(path: string): Promise<Uint8Array> {
  const bytes = await readPicture(path)
  return await makeGroupPicture(bytes).catch((error: unknown) => {
    throw isCoded(error, 'bad-field') ? badPath(String(error.details['rule'])) : error
  })
}

async function readPicture(path: string): Promise<Uint8Array> {
  const { avatarUploadBytesMax: max } = gatewayLimits
  const handle = await openToRead(path)
  try {
    const { size } = await handle.stat()
    if (size > max) throw badPath(`must be a file of at most ${max} bytes`)
    const bytes = new Uint8Array(size)
    const { bytesRead } = await handle.read(bytes, 0, size, 0).catch((error: unknown) => {
      throw fileFault(error, 'read')
    })
    return bytes.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
