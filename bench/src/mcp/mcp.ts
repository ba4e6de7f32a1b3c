// From a press to the result of `ask_human`, compared with the update of a press that a bot polls for. In one process.
import { type MessageId, privateChatId } from '@postern/protocol'
import { type TestPerson, WITHIN, World } from '@postern/testkit'
import { inTurn, percentile } from '../figures.ts'
import type { Row } from '../table.ts'

const TOKEN = 'token-of-agents'
const WARM_UPS = 20
const PRESSES = 100
/** The gateway refuses more than 60 writes a minute. */
const QUESTIONS = 40

type Scene = { url: string; token: string; person: TestPerson; bot: ReturnType<typeof privateChatId> }
type Message = { id: MessageId; buttons?: { data?: string }[][] }

export async function measureMcp(): Promise<Row[]> {
  const world = await World.start()
  try {
    const person = await world.person('alice')
    const env = { MCP: 'on', MCP_TOKEN: TOKEN, MCP_CHATS: person.id, BOT_OWNERS: person.id, LOG_LEVEL: 'error' }
    const gateway = await world.gateway(env)
    await gateway.client.whenOnline(WITHIN)
    await person.openInvite((await gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
    const { url, token, client } = gateway
    return await measure({ url, token, person, bot: privateChatId(client.account) })
  } finally {
    await world.stop()
  }
}

async function measure(scene: Scene): Promise<Row[]> {
  const plain = await PlainPresses.begin(scene)
  const plainMs: number[] = []
  const askedMs: number[] = []
  for (let at = 0; at < WARM_UPS; at++) await plain.one()
  await inTurn(QUESTIONS, [
    async () => void askedMs.push(await askOne(scene, askedMs.length)),
    async () => {
      // The presses of questions are updates, too.
      await plain.passOthers()
      for (let at = 0; at < PRESSES / QUESTIONS; at++) plainMs.push(await plain.one())
    },
  ])
  const rows = [0.5, 0.95].map(
    (part): Row => ({
      what: `press to the result of ask_human, p${part * 100}`,
      ours: percentile(askedMs, part),
      unit: 'ms',
      peer: { what: 'press to its update', figure: percentile(plainMs, part), better: 'less' },
    }),
  )
  const beyond = percentile(askedMs, 0.5) - percentile(plainMs, 0.5)
  return [...rows, { what: 'press to the result of ask_human beyond a plain update', ours: beyond, unit: 'ms' }]
}

class PlainPresses {
  readonly #scene: Scene
  readonly #message: Message
  #offset = 0

  private constructor(scene: Scene, message: Message) {
    this.#scene = scene
    this.#message = message
  }

  static async begin(scene: Scene): Promise<PlainPresses> {
    const buttons = [[{ text: 'Yes', data: 'yes' }]]
    const path = `/v1/chats/${scene.person.id}/messages`
    const sent = await called<Message>(scene, path, { text: 'Well?', buttons })
    await scene.person.next('message', ({ message }) => message.id === sent.id)
    const presses = new PlainPresses(scene, sent)
    await presses.passOthers()
    return presses
  }

  async passOthers(): Promise<void> {
    for (;;) {
      const [last] = (await this.#poll(0)).slice(-1)
      if (!last) return
      this.#offset = last.id + 1
    }
  }

  async one(): Promise<number> {
    const { person, bot } = this.#scene
    const polled = this.#poll(60)
    const startedMs = performance.now()
    const pressed = person.client.messages.press(bot, { message: this.#message.id, data: 'yes' }, WITHIN)
    const [update] = await polled
    const tookMs = performance.now() - startedMs
    this.#offset = (update?.id ?? 0) + 1
    await pressed
    return tookMs
  }

  async #poll(timeoutSec: number): Promise<{ id: number }[]> {
    return await called(this.#scene, `/v1/updates?offset=${this.#offset}&timeout=${timeoutSec}`)
  }
}

async function askOne({ url, person, bot }: Scene, number: number): Promise<number> {
  const question = `Question ${number}?`
  const args = { chat: person.id, question, options: ['Yes', 'No'] }
  const asked = fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ask_human', arguments: args },
    }),
  }).then(answer => answer.text())
  const { message } = await person.next('message', event => event.message.text === question)
  const data = message.buttons?.[0]?.[0]?.data ?? ''
  const startedMs = performance.now()
  const pressed = person.client.messages.press(bot, { message: message.id, data }, WITHIN)
  const result = await asked
  const tookMs = performance.now() - startedMs
  if (!result.includes('"status":"answered"')) throw new Error(`a question was not answered: ${result}`)
  await pressed
  return tookMs
}

async function called<Answer>({ url, token }: Scene, path: string, json?: object): Promise<Answer> {
  const answer = await fetch(url + path, {
    headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
    ...(json && { method: 'POST', body: JSON.stringify(json) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return (await answer.json()) as Answer
}
