// Reads commands from standard input and answers each under its id. A slow one does not delay the others.
import type { Readable } from 'node:stream'
import { apiErrorOf, checkFields } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { CodedError, KeyedQueue, Notifier, personLimits } from '@postern/protocol'
import { type CommandLine, commandFields, commandLine } from './command-fields.ts'
import { commands, type PersonCommand } from './commands.ts'
import type { LineOutput } from './line-output.ts'
import { type InputLine, readLines } from './read-lines.ts'

export class PersonCommands {
  readonly #client: Client
  readonly #output: LineOutput
  readonly #stop: AbortSignal
  readonly #lanes = new KeyedQueue<string>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #answered = new Notifier()

  constructor(client: Client, { output, stop }: { output: LineOutput; stop: AbortSignal }) {
    this.#client = client
    this.#output = output
    this.#stop = stop
  }

  /** Until the input ends. */
  async answerAll(input: Readable): Promise<void> {
    for await (const line of readLines(input, { bytesMax: personLimits.lineBytesMax })) {
      if (line.kind === 'line' && line.text.trim() === '') continue
      const answering = this.#answer(line).finally(() => {
        this.#underWay.delete(answering)
        this.#answered.notify()
      })
      this.#underWay.add(answering)
      if (this.#underWay.size >= personLimits.commandsInFlightMax) await this.#answered.next()
    }
  }

  /** Resolves when every started command is answered. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #answer(line: InputLine): Promise<void> {
    let id: unknown
    try {
      const asked = parseLine(line)
      id = asked.id
      const ok = await this.#run(checkFields(commandLine, asked, { whole: 'line' }))
      await this.#output.write(JSON.stringify({ id, ok: ok ?? {} }))
    } catch (error) {
      await this.#output.write(JSON.stringify({ id, ...apiErrorOf(error) }))
    }
  }

  async #run(asked: CommandLine): Promise<unknown> {
    const fields = checkFields(commandFields[asked.do], asked, { whole: 'line' })
    const { order, run } = commands[asked.do] as PersonCommand<typeof fields>
    const work = async () => await run(this.#client, fields, this.#stop)
    switch (order.kind) {
      case 'now':
        return await work()
      case 'send':
        return await this.#lanes.runShared(order.chat(fields), work)
      case 'alone':
        return await this.#lanes.run(order.chat(fields), work)
    }
  }
}

/** An object with unknown fields: the answer needs the id even when the rest is wrong. */
function parseLine(line: InputLine): { id?: unknown } {
  if (line.kind === 'too-long') throw badLine(`must have at most ${personLimits.lineBytesMax} bytes`)
  const value = parseJson(line.text)
  if (typeof value !== 'object' || value === null) throw badLine('must be a JSON object')
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badLine('must be valid JSON')
  }
}

const badLine = (rule: string): CodedError => new CodedError('bad-field', { field: 'line', rule })
