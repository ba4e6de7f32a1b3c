// A fault in the product, for tests of the checker: a relay that breaks a promise after one kind of fault. The query of
// its address names the `fault` and the promise that it breaks (`do`), and the `log` of the faults so far.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const asked = new URL(import.meta.url).searchParams
const log = asked.get('log') ?? ''
const wanted = asked.get('do')
const ONE_IN = 5
let isBroken = false
let appends = 0

/** From the first of these faults on. */
function has(promise) {
  if (promise !== wanted) return false
  isBroken ||= readFileSync(log, 'utf8').includes(asked.get('fault'))
  return isBroken
}

globalThis.planted = {
  append(store, append, entry) {
    const isHit = (has('lose') || has('double')) && ++appends % ONE_IN === 0
    if (!isHit) return append.call(store, entry)
    const { epoch, nowMs, message } = entry
    const isLost = wanted === 'lose'
    if (isLost) return Promise.resolve({ epoch, accepted: { message, seq: 1_000_000, ts: nowMs, duplicate: false } })
    // Under another id, as a relay would that does not know it again.
    const other = `${message.startsWith('a') ? 'b' : 'a'}${message.slice(1)}`
    return append
      .call(store, entry)
      .finally(() => append.call(store, { ...entry, message: other }).catch(() => undefined))
  },
  /** A part of the people is never let in again. */
  claimDevice(store, claimDevice, claim, signal) {
    const isHit = has('shut-out') && claim.account.charCodeAt(claim.account.length - 2) % 2 === 0
    return isHit ? Promise.withResolvers().promise : claimDevice.call(store, claim, signal)
  },
  /** Mailboxes are not filled any more. */
  poke(fanOut, poke, references) {
    if (!has('leave-waiting')) poke.call(fanOut, references)
  },
  /** Any server will do: a former primary, and a database that was restored. */
  admit(claim, admit, client) {
    return has('admit-all') ? Promise.resolve('same') : admit.call(claim, client)
  },
  upload(blobs, append, ...given) {
    return has('refuse-blobs') ? Promise.reject(new Error('planted')) : append.call(blobs, ...given)
  },
}

const wrapped = (type, method, by = method) => `
{
  const whole = ${type}.prototype.${method}
  ${type}.prototype.${method} = function (...given) {
    return globalThis.planted.${by}(this, whole, ...given)
  }
}`

const additions = {
  '/packages/relay/src/store/postgres/postgres-store.ts':
    wrapped('PostgresStore', 'append') + wrapped('PostgresStore', 'claimDevice'),
  '/packages/relay/src/store/postgres/mailboxes/fan-out.ts': wrapped('FanOut', 'poke'),
  '/packages/relay/src/store/postgres/connection/relay-claim.ts': wrapped('RelayClaim', 'admit'),
  '/packages/relay/src/blobs/s3/s3-blob-store.ts': wrapped('S3BlobStore', 'append', 'upload'),
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const addition = Object.entries(additions).find(([path]) => url.endsWith(path))?.[1]
    if (addition === undefined) return loaded
    return { ...loaded, source: `${new TextDecoder().decode(Buffer.from(loaded.source ?? ''))}${addition}` }
  },
})
