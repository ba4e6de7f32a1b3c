// A bot and an online person, and a gateway that is restarted repeatedly: its memory is compared with a fresh one.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Child } from '../processes/child.ts'
import type { GatewaySettings, GatewayState } from '../processes/gateway.ts'
import type { PersonSettings, PersonState } from '../processes/person.ts'
import type { Server } from './file-api.ts'

const TOKEN = 'bench-token'
/** The garbage of a start is collected by then. */
const SETTLE_MS = 500

const processFile = (name: string): URL => new URL(`../processes/${name}.ts`, import.meta.url)

export type Peaks = { gateway: number; relay: number }

export class Scene {
  readonly relay: Child<{ url: string }>
  readonly person: Child<PersonState>
  readonly #gatewaySettings: GatewaySettings
  readonly #relayIdleMib: number
  #gateway: Child<GatewayState>

  private constructor(
    parts: Pick<Scene, 'relay' | 'person'>,
    gateway: { child: Child<GatewayState>; settings: GatewaySettings },
    relayIdleMib: number,
  ) {
    this.relay = parts.relay
    this.person = parts.person
    this.#gateway = gateway.child
    this.#gatewaySettings = gateway.settings
    this.#relayIdleMib = relayIdleMib
  }

  static async open(directory: string): Promise<Scene> {
    const relay = await Child.start<{ url: string }>(processFile('relay'), { directory: join(directory, 'relay') })
    const relayUrl = relay.state.url
    const settings: GatewaySettings = { directory: join(directory, 'gateway'), relayUrl, port: 0, token: TOKEN }
    const child = await startGateway(settings)
    const personSettings: PersonSettings = {
      directory: join(directory, 'person'),
      relayUrl,
      invite: await child.ask('invite'),
    }
    const person = await Child.start<PersonState>(processFile('person'), personSettings)
    await wait(SETTLE_MS)
    return new Scene({ relay, person }, { child, settings }, (await relay.usage()).rssMib)
  }

  get server(): Server {
    return { url: this.#gateway.state.url, token: TOKEN }
  }

  /** Restarts the gateway, with its stored files or without. */
  async restart(files: 'kept' | 'forgotten'): Promise<void> {
    await this.#gateway.stop()
    if (files === 'forgotten') rmSync(join(this.#gatewaySettings.directory, 'files'), { recursive: true })
    this.#gateway = await startGateway(this.#gatewaySettings)
    await wait(SETTLE_MS)
  }

  /** The peak memory of both during the work, above their idle memory. */
  async peaksMib(work: () => Promise<void>): Promise<Peaks> {
    const { rssMib } = await this.#gateway.usage()
    const both = [this.#gateway, this.relay]
    await Promise.all(both.map(child => child.ask('watchMemory')))
    await work()
    const [gateway = 0, relay = 0] = await Promise.all(both.map(child => child.ask<number>('peakRssMib')))
    return { gateway: gateway - rssMib, relay: relay - this.#relayIdleMib }
  }

  async close(): Promise<void> {
    await this.person.stop()
    await this.#gateway.stop()
    await this.relay.stop()
  }
}

async function startGateway(settings: GatewaySettings): Promise<Child<GatewayState>> {
  const gateway = await Child.start<GatewayState>(processFile('gateway'), settings)
  await gateway.ask('online')
  return gateway
}
