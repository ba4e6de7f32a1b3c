// A relay in a process of its own.
import { startRelay } from '@postern/relay'
import { serveParent, settingsFromParent } from './parent.ts'

export type RelaySettings = { directory: string; newPeoplePerDay?: number }

/** All come from one address, with accounts that are new. */
const crowd = { registrationsPerAddressPerHour: 1e6, newcomersPerAddressMax: 1e4, newAccountBytesPerDayMax: 1e12 }
const { directory, ...given } = settingsFromParent<RelaySettings>()
const limits = { ...crowd, ...given }
const relay = await startRelay({ listen: { host: '127.0.0.1', port: 0 }, dataDirectory: directory, limits })
serveParent({ state: { url: relay.url }, stop: () => relay.stop() })
