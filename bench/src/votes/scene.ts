// A poll of the bot in a group of 200, in which a few are online to vote; the others have voted.
import { join } from 'node:path'
import type { MessageId } from '@postern/protocol'
import { Bots, TOKEN } from '../filled/bots.ts'
import { addVote } from '../filled/records.ts'
import { registerMembers } from '../group200/members.ts'
import { HttpApi } from '../http-api.ts'
import { Child } from '../processes/child.ts'
import type { GatewayState } from '../processes/gateway.ts'
import type { PersonSettings, PersonState, Voting } from '../processes/person.ts'
import { UpdateReader } from '../update-reader.ts'

export const MEMBERS = 200
const VOTERS = 2
const BOT = 'bot'
const OPTIONS = ['Monday, in the morning', 'Monday, in the evening', 'Tuesday', 'Not this week']

export type Scene = {
  bots: Bots
  gateway: Child<GatewayState>
  voters: Child<PersonState>[]
  poll: Pick<Voting, 'group' | 'message'>
  reader: UpdateReader
}

export async function openScene(directory: string): Promise<Scene> {
  const others = await registerMembers(join(directory, 'relay'), MEMBERS - 1 - VOTERS)
  const bots = await Bots.open(directory, { newPeoplePerDay: MEMBERS })
  const asking = await bots.start(BOT)
  await asking.ask('online')
  const voters = await startVoters(directory, { relayUrl: bots.relay.state.url, invite: await asking.ask('invite') })
  const members = [...voters.map(voter => voter.state.chat), ...others]
  const poll = await askGroup(asking.state.url, members)
  await asking.stop()
  bots.fill(BOT, database => {
    for (const [at, voter] of others.entries())
      addVote(database, { message: poll.message as MessageId, voter, option: at % OPTIONS.length })
  })
  const gateway = await bots.start(BOT)
  await gateway.ask('online')
  return { bots, gateway, voters, poll, reader: new UpdateReader({ url: gateway.state.url, token: TOKEN }) }
}

export async function closeScene({ bots, gateway, voters, reader }: Scene): Promise<void> {
  reader.close()
  await Promise.all(voters.map(voter => voter.stop()))
  await gateway.stop()
  await bots.close()
}

async function startVoters(
  directory: string,
  at: Pick<PersonSettings, 'relayUrl' | 'invite'>,
): Promise<Scene['voters']> {
  const directories = Array.from({ length: VOTERS }, (_, number) => join(directory, `voter-${number}`))
  return await Promise.all(
    directories.map(voterDirectory => {
      const settings: PersonSettings = { directory: voterDirectory, ...at }
      return Child.start<PersonState>(new URL('../processes/person.ts', import.meta.url), settings)
    }),
  )
}

async function askGroup(url: string, members: string[]): Promise<Scene['poll']> {
  const api = new HttpApi({ url, token: TOKEN })
  const post = async (path: string, body: unknown) => JSON.parse(await api.call('POST', path, body)) as { id: string }
  const { id: group } = await post('/v1/groups', { name: 'A group of 200', members })
  const { id: message } = await post(`/v1/chats/${group}/polls`, { question: 'When shall we meet?', options: OPTIONS })
  api.close()
  return { group, message }
}
