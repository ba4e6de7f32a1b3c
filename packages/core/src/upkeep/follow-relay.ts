// Follows a relay that has moved to another address, but only when the relay there accepts this account.
import { CodedError, Deferred } from '@postern/protocol'
import type { Core } from '../context.ts'
import { moveHome } from '../identity/account.ts'
import { lowerCursors } from '../journal/progress.ts'
import type { RelaySession } from '../relay-link/link-options.ts'

/**
 * The relay there knows the account and is its home from now on. Its log may differ from the one that was read. Reading
 * continues at the place that the relay has for this account, unless that is ahead of the place known here.
 */
export async function noteMoved(
  { store, own, relayUrl, log }: Pick<Core, 'store' | 'own' | 'relayUrl' | 'log'>,
  session: RelaySession,
): Promise<void> {
  await store.write(database => {
    moveHome(database, relayUrl)
    lowerCursors(database, session.cursor)
  })
  log.info({ from: own.relayUrl, to: relayUrl }, 'relay address changed')
  own.relayUrl = relayUrl
}

/**
 * `found`: the account's home is the dialled address. `silent`: nothing has answered there in time; the client keeps
 * trying, and the home stays. Throws `relay-not-home` when the relay there rejects the account.
 */
export async function findHome(
  core: Pick<Core, 'link' | 'own' | 'relayUrl' | 'clock'>,
  withinMs: number,
): Promise<'found' | 'silent'> {
  const { link, own, relayUrl, clock } = core
  const wait = new Deferred<'found' | 'silent'>()
  const look = () => {
    if (own.relayUrl === relayUrl) return wait.resolve('found')
    const why = link.refusal?.message
    if (why !== undefined) wait.reject(new CodedError('relay-not-home', { relay: relayUrl, home: own.relayUrl, why }))
  }
  wait.after(clock, withinMs, () => wait.resolve('silent'))
  wait.onSettled(link.onChange(look))
  look()
  return await wait.promise
}
