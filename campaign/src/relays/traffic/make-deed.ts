// Envelopes as a client makes them, except for the encrypted part, which the relay cannot read.
import type { AccountId, GroupId } from '@postern/protocol'
import { commitEnvelope, directEnvelope, idOf, messageEnvelope } from '@postern/testkit/bare-client'
import type { Deed } from '../check/deed.ts'
import type { Room } from './rooms.ts'
import type { Sending } from './send-deed.ts'

type Place = { room: Room; sender: AccountId; epoch: number }
type Change = { add: readonly AccountId[]; remove: readonly AccountId[] }

export const makeMessage = (place: Place): Sending => append(place, { kind: 'message' })
export const makeFarewell = (place: Place): Sending => append(place, { kind: 'leave' })
export const makeDirect = (place: Place, to: AccountId): Sending => append(place, { kind: 'direct', to })

function append(place: Place, { kind, to }: { kind: 'message' | 'leave' | 'direct'; to?: AccountId }): Sending {
  const sealed = { group: place.room.group, epoch: place.epoch }
  const payload = to === undefined ? messageEnvelope(sealed) : directEnvelope(sealed)
  const deed = { ...deedOf(place, payload), label: `${kind} in ${place.room.size}`, kind, to }
  return { deed, call: { name: 'append', request: { payload, to, leave: kind === 'leave' } } }
}

export function makeCommit(place: Place, { add, remove }: Change): Sending {
  const { group } = place.room
  const payload = commitEnvelope({ group, epoch: place.epoch })
  // Only new members read it: here it names the epoch.
  const welcome = add.length > 0 ? commitEnvelope({ group, epoch: place.epoch + 1 }) : undefined
  const deed = {
    ...deedOf(place, payload),
    label: `commit in ${place.room.size}`,
    kind: 'commit' as const,
    add,
    remove,
  }
  return { deed, call: { name: 'commit', request: { payload, add: [...add], remove: [...remove], welcome } } }
}

const deedOf = (
  { room, sender, epoch }: Place,
  payload: Uint8Array,
): Omit<Deed, 'label' | 'kind'> & { group: GroupId } => ({
  ...{ message: idOf(payload), group: room.group, sender, epoch },
  ...{ to: undefined, add: [], remove: [], told: [] },
})
