// A bot and a person who talks to it: the core of a measured group.
import { join } from 'node:path'
import { Bots, TOKEN } from '../filled/bots.ts'
import { HttpApi } from '../http-api.ts'
import { Child } from '../processes/child.ts'
import type { PersonSettings, PersonState } from '../processes/person.ts'

export type Speakers = { bots: Bots; gateway: Child; speaker: Child<PersonState>; api: HttpApi }

export async function startSpeakers(directory: string): Promise<Speakers> {
  const bots = await Bots.open(directory, { newPeoplePerDay: 1e6 })
  const gateway = await bots.start('bot')
  await gateway.ask('online')
  const settings: PersonSettings = {
    directory: join(directory, 'speaker'),
    relayUrl: bots.relay.state.url,
    invite: await gateway.ask<string>('invite'),
  }
  const speaker = await Child.start<PersonState>(new URL('../processes/person.ts', import.meta.url), settings)
  return { bots, gateway, speaker, api: new HttpApi({ url: gateway.state.url, token: TOKEN }) }
}
