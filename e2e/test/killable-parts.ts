// A relay, a gateway and people as separate processes, for tests that kill them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@postern/testkit'
import { GatewayProcess, type Killable, PersonProcess, RelayProcess } from '@postern/testkit/processes'
import { databaseOptions, forgetDatabaseOf } from '@postern/testkit/test-databases'
import { expect, onTestFailed, onTestFinished } from 'vitest'

/** The output of a part that is shown when a test fails. */
const SHOWN_CHARS = 4000

/** A bot, people, and the relays between them. */
export type Talking = { gateway: GatewayProcess; people: PersonProcess[]; relays: RelayProcess[] }
export type Parts = Talking & { relay: RelayProcess }

/** None of them ended unexpectedly. */
export function expectAlive({ relays, gateway, people }: Talking): void {
  for (const { crash } of [...relays, gateway, ...people]) expect(crash).toBeUndefined()
}

export async function startParts(names: string[]): Promise<Parts> {
  const { place, start } = startingUp()
  const at = await place('relay')
  const relay = await start(new RelayProcess(at, await databaseOptions(at.directory))).listening()
  return { ...(await startTalking(names, { start, place, relayUrl: relay.url })), relay, relays: [relay] }
}

export type StartingUp = {
  /** A directory and a port that nobody else has. */
  place: (name: string) => Promise<{ directory: string; port: number }>
  /** It is killed when the test is over, and its output is shown if that failed. */
  start: <Part extends Killable>(part: Part) => Part
}

export function startingUp(): StartingUp {
  const directory = mkdtempSync(join(tmpdir(), 'postern-kill-'))
  const started: Killable[] = []
  onTestFailed(() => {
    for (const part of started) console.error(`${part.constructor.name} said last:\n${part.stderr.slice(-SHOWN_CHARS)}`)
  })
  onTestFinished(async () => {
    for (const part of started) await part.end()
    await forgetDatabaseOf(join(directory, 'relay'))
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    place: async name => ({ directory: join(directory, name), port: await freePort() }),
    start: part => {
      part.start()
      started.push(part)
      return part
    },
  }
}

export async function startTalking(
  names: string[],
  { start, place, relayUrl }: StartingUp & { relayUrl: string },
): Promise<Omit<Talking, 'relays'>> {
  const gateway = await start(new GatewayProcess(await place('gateway'), relayUrl)).listening()
  const people: PersonProcess[] = []
  for (const name of names) people.push(start(new PersonProcess(name, { ...(await place(name)), relayUrl })))
  return { gateway, people }
}

/** Once it is registered. */
export async function botOf({ url, token }: GatewayProcess): Promise<{ id: string; invite_url: string }> {
  for (;;) {
    const answer = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    if (answer.ok) return (await answer.json()) as { id: string; invite_url: string }
    await pause(20)
  }
}
