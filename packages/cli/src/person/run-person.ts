// `postern person`: a full client that speaks JSON lines. Ends when its input ends, or at a signal.
import type { Readable, Writable } from 'node:stream'
import { openNodeClient } from '@postern/core/node'
import {
  CodedError,
  cleanLine,
  clientLimits,
  Deferred,
  isCoded,
  personLimits,
  plainRelayWarning,
} from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { terminalLog } from '../terminal-log.ts'
import { whenOnline } from '../when-online.ts'
import { PersonCommands } from './answer-commands.ts'
import { sweepDownloads } from './download-file.ts'
import { LineOutput } from './line-output.ts'
import { type PersonSettings, personFirstStart, readPersonSettings } from './person-settings.ts'
import { writeEvents, writeTyping } from './write-events.ts'

export type Streams = { input: Readable; output: Writable; errors: Writable }

const processStreams = (): Streams => ({ input: process.stdin, output: process.stdout, errors: process.stderr })

/** Resolves with the exit code. */
export async function runPerson(argv: readonly string[]): Promise<number> {
  const settings = readPersonSettings(argv)
  const { signal: stop } = stopSignal()
  const streams = processStreams()
  stop.addEventListener('abort', endLateAnyway)
  try {
    await livePerson(settings, { streams, stop })
    return 0
  } catch (error) {
    if (!isCoded(error)) throw error
    streams.errors.write(`${optionOf(error)}${cleanLine(error.message)}\n`)
    return 1
  }
}

/** A fault caused by an option is reported under its name. */
function optionOf({ code }: CodedError): string {
  if (code === 'relay-not-home') return '--relay: '
  return code.startsWith('database-') ? '--data: ' : ''
}

type Surroundings = { streams: Streams; stop: AbortSignal }

/** From the first start or the end of the last one, until the input ends or the signal. */
export async function livePerson(settings: PersonSettings, { streams, stop }: Surroundings): Promise<void> {
  const log = terminalLog(streams.errors)
  const output = new LineOutput(streams.output)
  const ended = new AbortController()
  const until = AbortSignal.any([stop, output.closed, ended.signal])
  const client = await openNodeClient({
    directory: settings.directory,
    log,
    firstStart: () => personFirstStart(settings),
    relayUrl: settings.relayUrl,
    relayInvite: settings.relayInvite,
    acceptRequests: settings.acceptRequests,
    reportsAll: true,
  })
  try {
    // Nothing is changed for a person that the relay at this address does not know.
    await client.followRelay({ timeoutMs: clientLimits.connectTimeoutMs })
    if (settings.name !== undefined && settings.name !== client.identity.me().name)
      await client.identity.setProfile({ name: settings.name })
    const warning = plainRelayWarning(client.relayUrl)
    if (warning) log.warn({ option: '--relay' }, warning)
    await sweepDownloads(client)
    client.start()
    if ((await whenOnline(client, until)) === 'stopped') return
    const { id, name } = client.identity.me()
    await output.write(JSON.stringify({ event: 'ready', me: { id, name } }))
    writeTyping(client, { output, log })
    const events = writeEvents(client.journal, { output, log, until })
    const answers = new PersonCommands(client, { output, stop: until })
    // An early end of the events ends the person: unhandled, it would end the process in the middle.
    const end = new Deferred()
    end.settleWith(events)
    end.settleWith(answers.answerAll(streams.input))
    end.onAbort(until, () => end.resolve())
    await end.promise
    streams.input.destroy()
    await answers.settled()
    ended.abort(new CodedError('stopping'))
    await events
  } finally {
    streams.input.destroy()
    await client.stop()
  }
}

const endLateAnyway = (): void => {
  setTimeout(() => process.exit(1), personLimits.stopWithinMs).unref()
}
