// A member who sends whatever it likes: bodies are changed on their way into the ciphertext, behind every check of the client.
import { fromUtf8, utf8 } from '@postern/protocol'
import type * as Content from '@postern/protocol/content'

/** Another body, or undefined for one that goes out as it is. */
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

/** While the work goes on, whoever sends something that is wanted sends something else. */
export async function forging<T>(change: Forge, work: () => Promise<T>): Promise<T> {
  forge = change
  try {
    return await work()
  } finally {
    forge = () => undefined
  }
}
