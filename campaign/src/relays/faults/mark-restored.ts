// `postern relay restored` while relays run: it is refused while they are connected, and otherwise ends them.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { relayTraffic } from '../traffic/pace.ts'
import type { Victims } from './victims.ts'

const LAUNCHER = join(import.meta.dirname, '../../../../packages/cli/bin/postern.mjs')

const IN_USE = 'A relay is using the database'
const DONE = 'The relay has a new incarnation'

/** False when it could not be tried: a relay is in a long fault, or still connected although it is cut off. */
export async function markRestored({ isCut }: { isCut: boolean }, victims: Victims): Promise<boolean> {
  const { relays, report } = victims
  if (relays.some(({ isTaken }) => isTaken)) return false
  for (const relay of relays) await relay.listening()
  if (isCut) return await restoreBehind(victims)
  const answer = await restored(victims.database)
  if (answer.includes(IN_USE)) return true
  report({ wrong: 'fault-of-ours', deed: 'relay restored', what: `beside running relays: ${answer}` })
  return true
}

/** The relays are cut off and cannot know. When they are back, they find another incarnation and end. */
async function restoreBehind({ relays, database, backWithinMs, report }: Victims): Promise<boolean> {
  for (const { ways } of relays) for (const way of ways) way.refuse()
  const answer = await restored(database)
  const isDone = answer.includes(DONE)
  for (const relay of relays) relay.mustEnd = isDone
  for (const { ways } of relays) for (const way of ways) way.heal()
  const late = () => relays.filter(({ mustEnd }) => mustEnd)
  for (let leftMs = backWithinMs; leftMs > 0 && late().length > 0; leftMs -= relayTraffic.tryAgainMs)
    await pause(relayTraffic.tryAgainMs)
  for (const relay of late()) {
    relay.mustEnd = false
    const what = `${relay.process.directory} continues on a database that was restored`
    report({ wrong: 'fault-of-ours', deed: 'relay restored', what })
  }
  return isDone
}

/** Returns the text that the command prints, on either output. */
async function restored(database: string): Promise<string> {
  const args = [LAUNCHER, 'relay', 'restored', '--database', database]
  const printed = Promise.withResolvers<string>()
  execFile(process.execPath, args, (_, stdout, stderr) => printed.resolve(`${stdout}${stderr}`))
  return await printed.promise
}
