// A relay, a gateway and people as processes of their own, for tests that kill them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@postern/testkit'
import { GatewayProcess, type Killable, PersonProcess, RelayProcess } from '@postern/testkit/processes'
import { databaseOptions, forgetDatabaseOf } from '@postern/testkit/test-databases'
import { expect, onTestFailed, onTestFinished } from 'vitest'

/** Of what a part has said, when a test fails. */
const SHOWN_CHARS = 4000

export type Parts = { relay: RelayProcess; gateway: GatewayProcess; people: PersonProcess[] }

/** None of them ended by itself. */
export function expectAlive({ relay, gateway, people }: Parts): void {
  for (const { crash } of [relay, gateway, ...people]) expect(crash).toBeUndefined()
}

export async function startParts(names: string[]): Promise<Parts> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-kill-'))
  const started: Killable[] = []
  onTestFailed(() => {
    for (const part of started) console.error(`${part.constructor.name} said last:\n${part.stderr.slice(-SHOWN_CHARS)}`)
  })
  onTestFinished(async () => {
    for (const part of started) await part.kill()
    await forgetDatabaseOf(join(directory, 'relay'))
    rmSync(directory, { recursive: true, force: true })
  })
  const start = <Part extends Killable>(part: Part): Part => {
    part.start()
    started.push(part)
    return part
  }
  const placeOf = async (name: string) => ({ directory: join(directory, name), port: await freePort() })
  const place = await placeOf('relay')
  const relay = await start(new RelayProcess(place, await databaseOptions(place.directory))).listening()
  const gateway = await start(new GatewayProcess(await placeOf('gateway'), relay.url)).listening()
  const people = names.map(name =>
    start(new PersonProcess(name, { directory: join(directory, name), relayUrl: relay.url })),
  )
  return { relay, gateway, people }
}

/** Once it is registered. */
export async function botOf({ url, token }: GatewayProcess): Promise<{ id: string; invite_url: string }> {
  for (;;) {
    const answer = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    if (answer.ok) return (await answer.json()) as { id: string; invite_url: string }
    await pause(20)
  }
}
