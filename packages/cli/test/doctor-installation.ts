// A real installation for the doctor: a relay that runs, a bot that was stopped, and proxies with certificates of the test.
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { type Clock, DAY_MS } from '@postern/protocol'
import { freePort, WITHIN, World, type WorldOptions } from '@postern/testkit'
import { TestAuthority, type TestCertificate } from '@postern/testkit/authority'
import { onTestFinished } from 'vitest'
import type { DiagnosisSubject } from '../src/doctor/finding.ts'
import type { Machine } from '../src/doctor/machine.ts'
import { front, settingsOf } from './doctor.ts'

export type Planted = { argv?: string[]; env?: Record<string, string>; machine?: Partial<Machine>; clock?: Clock }
/** `FAIL` exits with 1, `warn` with 0. */
export type Fault = [name: string, subject: DiagnosisSubject, finding: RegExp, plant: () => Planted | Promise<Planted>]

export const exitCodeOf = (finding: RegExp): number => (finding.source.startsWith('^FAIL') ? 1 : 0)

type Parts = { folder: string; world: World; proxyPort: number; known: TestAuthority; unknown: TestAuthority }

/** All tests of a file share it; each changes only its own copy of the data. It changes what this process trusts. */
export class Installation implements AsyncDisposable {
  readonly #folder: string
  readonly #authorities: string[]
  readonly world: World
  /** The relay knows `localhost` with this port as its own. */
  readonly proxyPort: number
  readonly known: TestAuthority
  readonly unknown: TestAuthority

  private constructor({ folder, world, proxyPort, known, unknown }: Parts) {
    this.#folder = folder
    this.world = world
    this.proxyPort = proxyPort
    this.known = known
    this.unknown = unknown
    this.#authorities = tls.getCACertificates('default')
    tls.setDefaultCACertificates([...this.#authorities, readFileSync(known.path, 'utf8')])
  }

  static async start(): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'postern-faults-'))
    const proxyPort = await freePort()
    const world = await World.start({ relayHosts: [`localhost:${proxyPort}`] })
    const gateway = await world.gateway(settingsOf(world))
    await gateway.client.whenOnline(WITHIN)
    await world.closeGateway(gateway)
    await world.stopRelay()
    for (const what of ['relay', 'gateway'])
      cpSync(join(world.directory, what), join(folder, what), { recursive: true })
    await world.startRelay()
    const known = new TestAuthority(join(folder, 'known'))
    return new Installation({ folder, world, proxyPort, known, unknown: new TestAuthority(join(folder, 'unknown')) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    tls.setDefaultCACertificates(this.#authorities)
    await this.world.stop()
    rmSync(this.#folder, { recursive: true })
  }

  /** A path in a new folder. */
  path(name: string): string {
    return join(mkdtempSync(join(this.#folder, 'row-')), name)
  }

  /** A copy of the data of the bot, or of the relay, which nothing uses, with a fresh backup. */
  copyOf(what: 'gateway' | 'relay'): string {
    const copy = this.path(what)
    cpSync(join(this.#folder, what), copy, { recursive: true })
    chmodSync(copy, 0o700)
    noteBackup(copy, 0)
    return copy
  }

  /** The relay behind a proxy with this certificate, under a host that it knows. */
  async behind(certificate: TestCertificate): Promise<string> {
    await during(front({ to: () => this.world.relayUrl, port: this.proxyPort, certificate }))
    return `https://localhost:${this.proxyPort}`
  }
}

export const noteBackup = (directory: string, days: number): void =>
  writeFileSync(join(directory, 'last-backup'), `${new Date(Date.now() - days * DAY_MS).toISOString()}\n`)

/** Listens until the end of the test. */
export async function during<Listening extends AsyncDisposable>(server: Promise<Listening>): Promise<Listening> {
  const listening = await server
  onTestFinished(() => listening[Symbol.asyncDispose]())
  return listening
}

export async function otherWorld(options: WorldOptions): Promise<World> {
  const made = await World.start(options)
  onTestFinished(() => made.stop())
  return made
}
