// Tells one story again and again, and kills the bot once in each: every person must receive the same as without a kill.
import { setTimeout as pause } from 'node:timers/promises'
import { Deferred, systemClock } from '@postern/protocol'
import type { ChatPerson } from './bot-person.ts'
import { lineOf } from './seen-message.ts'
import type { TestBot } from './test-bot.ts'

export type KillStory = {
  bot: TestBot
  people: readonly ChatPerson[]
  story: (round: number) => Promise<unknown>
  /** Removes from a line the parts that may differ from round to round. */
  same: (line: string) => string
  withinMs: number
}

const LOOK_EVERY_MS = 5

/** Returns the points at which the bot was killed. */
export async function killEverywhere(told: KillStory): Promise<string[]> {
  const before = told.bot.points
  const expected = await received(told, () => told.story(0))
  const points = told.bot.points - before
  const killedAt: string[] = []
  for (let at = 1; at <= points; at += 1) {
    const round = { at, killed: '' }
    const where = () => `killed ${round.killed} (point ${at} of ${points})`
    const actual = await received(told, () => killOnce(told, round)).catch((error: unknown) => {
      throw round.killed === '' ? error : new Error(`${where()}: ${messageOf(error)}`, { cause: error })
    })
    if (JSON.stringify(actual) !== JSON.stringify(expected))
      throw new Error(`${where()}: received ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
    killedAt.push(round.killed)
  }
  return killedAt
}

/** `killed`: the name of the point, once the bot was killed there. */
type Round = { readonly at: number; killed: string }

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function killOnce({ bot, story, withinMs }: KillStory, round: Round): Promise<void> {
  const killed = new Deferred()
  const restarted = async (point: string): Promise<void> => {
    round.killed = point
    await bot.begin()
  }
  killed.settleWith(bot.killAt(round.at).then(restarted))
  try {
    await story(round.at)
    // The bot passes its last points when people have everything.
    const late = new Error(`the bot did not reach point ${round.at} again: its calls must have a fixed order`)
    killed.after(systemClock, withinMs, () => killed.reject(late))
    await killed.promise
  } finally {
    bot.spare()
    // Nobody waits for it when the story has failed.
    killed.promise.catch(() => undefined)
    killed.resolve()
  }
}

/** The messages that each person has received during the story, once the bot has finished with it. */
async function received(
  { bot, people, same, withinMs }: KillStory,
  story: () => Promise<unknown>,
): Promise<Record<string, string[]>> {
  const known = new Set(people.flatMap(person => person.messages(bot).map(({ id }) => id)))
  await story()
  await settle(bot, { people, withinMs })
  const news = (person: ChatPerson): string[] =>
    person
      .messages(bot)
      .filter(({ id, from }) => from.id === bot.id && !known.has(id))
      .map(message => same(lineOf(message)))
  return Object.fromEntries(people.map(person => [person.name, news(person)]))
}

/** Ends when the bot has finished with its updates, and everybody has what it sent. */
export async function settle(
  bot: TestBot,
  { people, withinMs }: Pick<KillStory, 'people' | 'withinMs'>,
): Promise<void> {
  const isSettled = () =>
    bot.isIdle && people.every(person => bot.sentTo(person.id as never).join('\n') === heardBy(person, bot).join('\n'))
  for (const untilMs = Date.now() + withinMs; !isSettled(); await pause(LOOK_EVERY_MS))
    if (Date.now() > untilMs) throw new Error(`${bot.name} did not finish with its updates within ${withinMs / 1000} s`)
}

const heardBy = (person: ChatPerson, bot: TestBot): string[] =>
  person
    .messages(bot)
    .filter(({ from }) => from.id === bot.id)
    .map(({ id, text = '' }) => `${id} ${text}`)
