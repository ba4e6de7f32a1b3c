// A relay in a process of its own.
import { startRelay } from '@postern/relay'
import { serveParent, settingsFromParent } from './parent.ts'

export type RelaySettings = { directory: string; newPeoplePerDay?: number }

const { directory, ...limits } = settingsFromParent<RelaySettings>()
const relay = await startRelay({ listen: { host: '127.0.0.1', port: 0 }, dataDirectory: directory, limits })
serveParent({ state: { url: relay.url }, stop: () => relay.stop() })
