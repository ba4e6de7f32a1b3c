// A whole messenger in one process, for our tests and for those of bot authors.
export { freePort } from './free-port.ts'
export { HostileRelay } from './hostile-relay.ts'
export { ManualClock, passTime, passWhenAwaited } from './manual-clock.ts'
export { TestPerson, WITHIN } from './person.ts'
export { SeededRandom } from './seeded-random.ts'
export { uniqueKeysOf } from './unique-keys.ts'
export { type Pass, Wire } from './wire.ts'
export { backupOf, type PersonOptions, type TestGateway, World, type WorldOptions } from './world.ts'
