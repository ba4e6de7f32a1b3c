// A relay in a separate process.
import { blobPlaceIn, startRelay } from '@postern/relay'
import { serveParent, settingsFromParent } from './parent.ts'

export type RelaySettings = {
  directory: string
  /** The address of the PostgreSQL that it shares with others. */
  database?: string
  newPeoplePerDay?: number
  /** The folder of the built app, if people use it. */
  app?: string
  /** The place of blobs, with its keys. */
  blobs?: string
  environment?: Record<string, string>
  /** Push services that it may push to. */
  pushHosts?: string[]
}

/** All come from one address, with new accounts. */
const crowd = {
  registrationsPerMinute: 1e6,
  registrationsPerAddressPerHour: 1e6,
  newcomersPerAddressMax: 1e4,
  connectionsPerAddressMax: 1e6,
  connectionsMax: 1e5,
  takesPerMinute: 1e6,
  newAccountBytesPerDayMax: 1e12,
  authenticateWithinMs: 1e5,
}
const {
  directory,
  database,
  app,
  blobs,
  environment = {},
  pushHosts = [],
  ...given
} = settingsFromParent<RelaySettings>()
const limits = { ...crowd, ...given }
const relay = await startRelay({
  listen: { host: '127.0.0.1', port: 0 },
  dataDirectory: directory,
  database,
  blobs: blobPlaceIn(blobs, environment),
  app,
  limits,
  push: { hosts: pushHosts },
})
serveParent({ state: { url: relay.url }, stop: () => relay.stop() })
