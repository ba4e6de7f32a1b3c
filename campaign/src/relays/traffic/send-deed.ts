// Sends a message until its outcome is known: without an answer it is sent again, or a newer connection asks for it.
import { setTimeout as pause } from 'node:timers/promises'
import { isCoded } from '@postern/protocol'
import type { CallRequest, RelayVerdict } from '@postern/protocol/relay'
import type { Deed } from '../check/deed.ts'
import type { Hopper } from './hopper.ts'
import { type Line, refusalOf } from './line.ts'
import { relayTraffic } from './pace.ts'

export type Sending = {
  deed: Deed
  call: { name: 'append'; request: CallRequest<'append'> } | { name: 'commit'; request: CallRequest<'commit'> }
}
type Sender = Pick<Hopper, 'view' | 'line' | 'surroundings'>
type Outcome = 'known' | 'in-doubt' | 'not-stored'

const ASKED_ONE_IN = 3

export async function sendDeed(sender: Sender, sending: Sending): Promise<void> {
  const { random } = sender.surroundings
  for (let tries = 0; ; tries++) {
    const line = await sender.line
    const isAsked = tries > 0 && random.below(ASKED_ONE_IN) === 0
    const outcome = await (isAsked ? askFor(sender, sending.deed, line) : trySending(sender, sending, line))
    if (outcome === 'known') return
    // A fault of the relay's storage says nothing about an earlier try, whose answer was lost; at the first it is a no.
    if (outcome === 'not-stored' && tries === 0) return void sending.deed.told.push({ kind: 'absent', why: outcome })
    await pause(random.below(relayTraffic.tryAgainMs))
  }
}

async function trySending(sender: Sender, { deed, call }: Sending, line: Line): Promise<Outcome> {
  const place = line.nextPlace()
  let isWaitedFor = true
  const answered = line.inTime(line.client.call(call.name, call.request)).then(
    (verdict): Outcome => {
      // Also a late answer, on a dropped connection: an accepted message has to be there.
      if (verdict.accepted || isWaitedFor) tell(sender, deed, { verdict, line, place })
      return 'known'
    },
    (error: unknown): Outcome => (isWaitedFor ? refused(sender, deed, error) : 'known'),
  )
  // An answer that has already arrived counts, also on a closed connection.
  const over = line.over.then(() => Promise.race([answered, pause(0, 'in-doubt' as const)]))
  const outcome = await Promise.race([answered, over])
  isWaitedFor = false
  return outcome
}

/** On the newest connection: work of the older ones is settled, so that a missing message stays missing. */
async function askFor(sender: Sender, deed: Deed, line: Line): Promise<Outcome> {
  const { group, message } = deed
  try {
    const verdict = await line.inTime(line.client.call('outcome', { group, message }))
    if (verdict.accepted) tell(sender, deed, { verdict, line, place: line.nextPlace() })
    else deed.told.push({ kind: 'absent', why: 'given up, for it is in no log' })
    return 'known'
  } catch (error) {
    return refused(sender, deed, error)
  }
}

type Answered = { verdict: RelayVerdict; line: Line; place: number }

function tell({ view }: Sender, deed: Deed, { verdict, line, place }: Answered): void {
  const { accepted, epoch } = verdict
  view.stands(deed.group, { epoch, isIn: deed.kind !== 'leave' || !accepted })
  if (!accepted) return void deed.told.push({ kind: 'absent', why: `the group is in epoch ${epoch}` })
  const { seq, ts, duplicate } = accepted
  deed.told.push({ kind: 'accepted', seq, ts, isDuplicate: duplicate, line: line.number, place })
}

function refused({ view, surroundings }: Sender, deed: Deed, error: unknown): Outcome {
  const why = refusalOf(error)
  if (isCoded(error, 'internal')) surroundings.onFault(`${deed.message}: ${String(error)}`)
  if (isCoded(error, 'storage-full', 'storage-failed')) return 'not-stored'
  if (why === undefined) return 'in-doubt'
  if (why === 'group-unknown') view.isOut(deed.group)
  deed.told.push({ kind: 'absent', why })
  return 'known'
}
