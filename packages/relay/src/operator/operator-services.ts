// Everything that lets an operator observe and control a running relay:
// control socket, metrics, and the hourly log line.
import type { CloseStack, ListenAddress } from '@postern/protocol'
import { ControlServer } from '@postern/protocol/control'
import { controlCommands, type OperatedRelay } from './control-commands.ts'
import { HourlyLine } from './hourly-line.ts'
import { Overview } from './overview.ts'
import { serveMetrics } from './serve-metrics.ts'

type Desk = { metricsAt: ListenAddress | undefined; opened: CloseStack }

/** Throws if metrics are configured and cannot be served: an operator who relies on them must know. */
export async function openOperatorDesk(
  relay: Omit<OperatedRelay, 'overview'>,
  { metricsAt, opened }: Desk,
): Promise<{ metricsUrl: string | undefined }> {
  const { parts, dataDirectory } = relay
  const { clock, log, figures } = parts
  const overview = new Overview(relay)
  const metricsUrl = metricsAt && (await serveMetrics(metricsAt, { figures, overview, log }, opened))
  const commands = controlCommands({ ...relay, overview }, clock.nowMs())
  opened.add(await ControlServer.listen(dataDirectory, { commands, clock, log }), it => it?.close())
  opened.add(new HourlyLine(parts, overview), it => it.stop()).start()
  return { metricsUrl }
}
