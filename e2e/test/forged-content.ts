// A member who sends anything: bodies are changed on their way into the ciphertext, after every check of the client.
import { fromUtf8, utf8 } from '@postern/protocol'
import type * as Content from '@postern/protocol/content'

/** Another body, or undefined to send it unchanged. */
type Forge = (body: Content.KnownBody) => object | undefined

let forge: Forge = () => undefined

type ContentModule = typeof Content

/** For `vi.mock`. */
export async function forgedContent(original: () => Promise<ContentModule>): Promise<ContentModule> {
  const real = await original()
  return {
    ...real,
    encodeContent: content => {
      const honest = real.encodeContent(content)
      const body = forge(content.body)
      return body ? utf8(JSON.stringify({ ...(JSON.parse(fromUtf8(honest)) as object), body })) : honest
    },
  }
}

/** During the work, every send of a matching body sends another one. */
export async function forging<T>(change: Forge, work: () => Promise<T>): Promise<T> {
  forge = change
  try {
    return await work()
  } finally {
    forge = () => undefined
  }
}
