// The contract of every RelayStore: the store's rules in SPEC.md, tested through the interface alone.
import { afterEach, beforeEach, describe } from 'vitest'
import type { RelayLimits } from '../src/limits/relay-limits.ts'
import type { RelayStore } from '../src/store/relay-store.ts'
import { InProcessWake, type Wake } from '../src/store/wake.ts'
import { accountRules } from './contract/accounts.ts'
import { blobRules } from './contract/blobs.ts'
import { commitRules, membershipRules, namedPeopleRules } from './contract/commits.ts'
import { continuationRules } from './contract/continuations.ts'
import { deletionRules } from './contract/deleted.ts'
import { expiryRules } from './contract/expiry.ts'
import { mailboxRules } from './contract/mailboxes.ts'
import { messageRules } from './contract/messages.ts'
import { newPeopleRules } from './contract/new-people.ts'
import { pushRules } from './contract/push.ts'
import { quotaRules } from './contract/quotas.ts'
import { World } from './contract/world.ts'

export type OpenStore = (limits: Partial<RelayLimits>, wake: Wake) => Promise<RelayStore>

export function storeContract(name: string, open: OpenStore): void {
  let world: World
  const openWorld = async (limits: Partial<RelayLimits>): Promise<World> => {
    const wake = new InProcessWake()
    return new World(await open(limits, wake), wake)
  }
  const reopen = async (limits: Partial<RelayLimits>): Promise<World> => {
    await world.store.close()
    world = await openWorld(limits)
    return world
  }

  describe(`${name} keeps the store's rules`, () => {
    beforeEach(async () => {
      world = await openWorld({})
    })
    afterEach(() => world.store.close())

    describe('messages', () => messageRules(() => world))
    describe('mailboxes', () => mailboxRules(() => world, reopen))
    describe('commits', () => commitRules(() => world))
    describe('people that commits name', () => namedPeopleRules(() => world, reopen))
    describe('membership', () => membershipRules(() => world))
    describe('accounts', () => accountRules(() => world, reopen))
    describe('new people', () => newPeopleRules(() => world, reopen))
    describe('continuations', () => continuationRules(() => world, reopen))
    describe('expiry', () => expiryRules(() => world, reopen))
    describe('deletion', () => deletionRules(() => world, reopen))
    describe('quotas', () => quotaRules(() => world, reopen))
    describe('pushes', () => pushRules(() => world, reopen))
    describe('blobs', () => blobRules(() => world, reopen))
  })
}
