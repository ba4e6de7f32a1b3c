// The key of a database under a passphrase.
import { expect, test } from 'vitest'
import { lockKey, unlockKey } from '../src/storage/directory/passphrase-lock-browser.ts'

const CHEAP_LOG2 = 10
const key = new Uint8Array(32).map((_, at) => at)

test('[CORE-24.11] a locked key comes out with its passphrase alone, however a keyboard writes its letters', async () => {
  const locked = await lockKey(key, 'caf\u00e9 au lait', CHEAP_LOG2)
  expect(await unlockKey(locked, 'cafe\u0301 au lait')).toEqual(key)
  for (const wrong of ['', 'cafe au lait', 'caf\u00e9 au lait ']) expect(await unlockKey(locked, wrong)).toBeUndefined()
  expect(Buffer.from(locked.sealed).includes(Buffer.from(key))).toBe(false)
})

test('[CORE-24.11] the same passphrase locks differently each time, and a changed lock opens nothing', async () => {
  const [one, other] = [
    await lockKey(key, 'correct horse', CHEAP_LOG2),
    await lockKey(key, 'correct horse', CHEAP_LOG2),
  ]
  expect(one.salt).not.toEqual(other.salt)
  expect(await unlockKey({ ...one, salt: other.salt }, 'correct horse')).toBeUndefined()
  const sealed = one.sealed.slice(0)
  new Uint8Array(sealed)[0] = (new Uint8Array(sealed)[0] ?? 0) ^ 1
  expect(await unlockKey({ ...one, sealed }, 'correct horse')).toBeUndefined()
})
