// All by which an operator sees and steers a relay that runs: control socket, metrics, and the line every hour.
import type { ListenAddress } from '@postern/protocol'
import { ControlServer } from '@postern/protocol/control'
import { controlCommands, type Operated } from './control-commands.ts'
import { HourlyLine } from './hourly-line.ts'
import { Overview } from './overview.ts'
import { MetricsListener } from './serve-metrics.ts'

type Open = { metrics: MetricsListener | undefined; control: ControlServer | undefined; line: HourlyLine }

export class OperatorDesk {
  readonly #open: Open

  private constructor(open: Open) {
    this.#open = open
  }

  /** Throws when metrics were asked for and cannot be served there: an operator who relies on them has to know. */
  static async open(relay: Omit<Operated, 'overview'>, metricsAt: ListenAddress | undefined): Promise<OperatorDesk> {
    const { parts, dataDirectory } = relay
    const { clock, log, figures } = parts
    const overview = new Overview(relay)
    const metrics = metricsAt && (await MetricsListener.listen(metricsAt, { figures, overview, log }))
    const commands = controlCommands({ ...relay, overview }, clock.nowMs())
    const control = await ControlServer.listen(dataDirectory, { commands, clock, log })
    const line = new HourlyLine(parts, overview)
    line.start()
    return new OperatorDesk({ metrics, control, line })
  }

  get metricsUrl(): string | undefined {
    return this.#open.metrics?.url
  }

  async close(): Promise<void> {
    const { metrics, control, line } = this.#open
    line.stop()
    await Promise.all([metrics?.stop(), control?.close()])
  }
}
