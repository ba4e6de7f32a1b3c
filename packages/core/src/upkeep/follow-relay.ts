// A relay that has moved: followed to another address when the relay there lets this very account in, and not before.
import { CodedError, Deferred } from '@postern/protocol'
import type { Core } from '../context.ts'
import { moveHome } from '../identity/account.ts'
import { lowerCursors } from '../journal/progress.ts'
import type { RelaySession } from '../relay-link/link-options.ts'

/**
 * The relay there knows the account: from now on it is its home. What lies there may be another log than the one that was
 * read: it is read on from where the relay says that this account has read to, unless that is ahead of what is known here.
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
 * `found`: the account is at home at the address that is dialled. `silent`: nobody has answered there in time, and it is
 * tried on; the home stays where it was. Throws `relay-not-home` when the relay there does not let it in.
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
