// Two relays on one database behind a balancer: a client that reconnects changes relays.
import { Balancer } from '@postern/testkit/balancer'
import { RelayProcess } from '@postern/testkit/processes'
import { onTestFinished } from 'vitest'
import type { StartingUp } from './killable-parts.ts'

export type SharedRelays = { relays: RelayProcess[]; relayUrl: string }

export async function startSharedRelays(up: StartingUp, database: string): Promise<SharedRelays> {
  const places = [await up.place('one'), await up.place('two')]
  const balancer = await Balancer.start(places.map(({ port }) => port))
  onTestFinished(() => balancer[Symbol.asyncDispose]())
  const options = ['--database', database, '--public-host', balancer.host]
  const relays: RelayProcess[] = []
  for (const place of places) relays.push(await up.start(new RelayProcess(place, options)).listening())
  return { relays, relayUrl: balancer.url }
}
