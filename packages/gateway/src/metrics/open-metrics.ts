// The metrics that every gateway has: its process, disk, relay and keys.
import type { Client } from '@postern/core'
import type { Clock } from '@postern/protocol'
import { buildInfo } from '@postern/protocol/metrics'
import { processMetrics } from '@postern/protocol/process-metrics'
import type { GatewaySettings } from '../config.ts'
import { VERSION } from '../version.ts'
import { addDiskMetrics } from './disk-metrics.ts'
import { Metrics } from './metrics.ts'

export function openMetrics(
  client: Client,
  { dataDir, clock }: Pick<GatewaySettings, 'dataDir'> & { clock: Clock },
): { metrics: Metrics; stopMetrics: () => void } {
  const own = processMetrics()
  const metrics = new Metrics()
  metrics.add([buildInfo(VERSION), ...own.metrics])
  metrics.addGauge({ name: 'postern_relay_connected', help: '1 while the relay can be reached.' }, () =>
    client.isOnline ? 1 : 0,
  )
  metrics.addGauge(
    {
      name: 'postern_key_packages',
      help: 'How many can still come to the bot with keys of their own, as far as it knows.',
    },
    () => client.keyPackagesLeft,
  )
  addDiskMetrics(metrics, { directory: dataDir, clock })
  return { metrics, stopMetrics: own.stop }
}
