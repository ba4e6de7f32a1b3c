// The parts of the gateway that hooks use.
import type { Log } from '@postern/core'
import type { Clock } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'

export type HooksContext = {
  settings: Pick<GatewaySettings, 'hooksUrl' | 'botOwners' | 'language' | 'alertmanager'>
  clock: Clock
  log: Log
  metrics: Metrics
}
