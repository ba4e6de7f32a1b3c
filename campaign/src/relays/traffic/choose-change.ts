// Chooses whom a commit adds and removes: groups keep about their size, and every sender is added again at some time.
import type { AccountId } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit'

export type Change = { add: AccountId[]; remove: AccountId[] }
type Around = { size: number; members: readonly AccountId[]; self: AccountId }
type Pool = { active: readonly AccountId[]; everybody: readonly AccountId[] }

export function chooseChange(random: SeededRandom, { size, members, self }: Around, pool: Pool): Change {
  const isIn = new Set(members)
  const outside = (of: readonly AccountId[]) => of.filter(account => !isIn.has(account))
  const [absent, strangers] = [outside(pool.active), outside(pool.everybody)]
  const others = members.filter(account => account !== self)
  const newcomer = (): AccountId[] => one(random, random.below(2) === 0 && absent.length > 0 ? absent : strangers)
  if (members.length < size * 0.9) return { add: newcomer(), remove: [] }
  if (members.length > size * 1.1) return { add: [], remove: one(random, others) }
  switch (random.below(5)) {
    case 0:
      return { add: newcomer(), remove: [] }
    case 1:
      return { add: [], remove: one(random, others) }
    case 2:
      return { add: newcomer(), remove: one(random, others) }
    case 3: {
      // Removing and adding a member in one step is how it is healed.
      const healed = one(random, others)
      return { add: healed, remove: [...healed] }
    }
    default:
      return { add: [], remove: [] }
  }
}

const one = (random: SeededRandom, of: readonly AccountId[]): AccountId[] => (of.length === 0 ? [] : [random.of(of)])
