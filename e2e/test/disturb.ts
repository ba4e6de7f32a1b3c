// Disturbances of people who talk: connections break or fall silent, the relay restarts, and the group changes its keys.
import { isCoded } from '@postern/protocol'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import type { SeededRandom } from '@postern/testkit/random'
import type { Gathering } from './unsteady-people.ts'

export const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

export async function disturb(world: World, gathering: Gathering, random: SeededRandom): Promise<void> {
  const { person } = random.of(gathering.people)
  const what = random.below(10)
  if (what < 3) person.wire.drop()
  else if (what < 6) await fallSilent(person, random)
  else if (what < 7) await unplug(person, random)
  else if (what < 8) await restart(world, random)
  else await changeGroup(gathering, person, random)
}

/** Nothing passes any more in one direction or in both, without notice, until the connection breaks. */
async function fallSilent({ wire }: TestPerson, random: SeededRandom): Promise<void> {
  const which = random.below(3)
  if (which !== 0) wire.outgoing = () => []
  if (which !== 1) wire.incoming = () => []
  await pause(random.below(900))
  wire.outgoing = frame => [frame]
  wire.incoming = frame => [frame]
  wire.drop()
}

async function unplug({ wire }: TestPerson, random: SeededRandom): Promise<void> {
  wire.cut()
  await pause(random.below(500))
  wire.mend()
}

async function restart(world: World, random: SeededRandom): Promise<void> {
  await world.stopRelay()
  await pause(random.below(200))
  await world.startRelay()
}

/** Less than the relay's tables take: no page is left. */
const FULL_BYTES = 65_536

export type RelayRoom = { databaseBytesMax?: number }

/** For a while the relay's database cannot grow by a page. */
export async function fillRelay(world: World, room: RelayRoom, random: SeededRandom): Promise<void> {
  room.databaseBytesMax = FULL_BYTES
  await restart(world, random)
  await pause(random.below(400))
  delete room.databaseBytesMax
  await restart(world, random)
}

/** Each begins an epoch, for which all messages in flight must be encrypted again. */
async function changeGroup(
  { people, guest, group }: Gathering,
  person: TestPerson,
  random: SeededRandom,
): Promise<void> {
  const guests = [guest.person.id]
  const admin = people[0]?.person ?? person
  const changes = [
    () => person.client.chats.renameGroup(group, `name ${random.below(1000)}`, WITHIN),
    () => person.client.chats.addMembers(group, guests, WITHIN),
    () => admin.client.chats.removeMembers(group, guests, WITHIN),
  ]
  try {
    await random.of(changes)()
  } catch (error) {
    if (!isCoded(error, 'send-in-doubt', 'relay-unreachable', 'not-a-member')) throw error
  }
}
