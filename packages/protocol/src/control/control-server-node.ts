// The control socket in a data directory, through which its operator sends commands to the running process.
import { once } from 'node:events'
import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { inBackground, logFault } from '../background.ts'
import type { Clock } from '../clock.ts'
import { CodedError } from '../errors.ts'
import { controlLimits } from '../limits.ts'
import type { Log } from '../log.ts'
import { unusable } from '../make-directory-node.ts'
import { systemFault } from '../system-faults.ts'
import { type ControlLine, type ControlRequest, readRequest } from './control-lines.ts'
import { controlPath } from './control-path-node.ts'

/** `signal`: the caller has disconnected, or the process stops. */
export type ControlTalk = { progress(step: object): void; signal: AbortSignal }
/** Returns the answer. The caller receives an error as a code and a sentence. */
export type ControlCommand = (given: ControlRequest['arguments'], talk: ControlTalk) => Promise<object>
export type ControlCommands = Readonly<Record<string, ControlCommand>>

type Around = { commands: ControlCommands; clock: Clock; log: Log }

export class ControlServer {
  readonly #around: Around
  readonly #server: Server
  readonly #talks = new Map<Socket, AbortController>()

  private constructor(around: Around) {
    this.#around = around
    // A caller that has sent everything may close its half, as `nc` does, and is still answered.
    this.#server = createServer({ allowHalfOpen: true }, socket => this.#enter(socket))
  }

  /**
   * Call it only as the exclusive owner of the data: then an existing socket is a leftover of a killed process. Returns
   * undefined, and logs a line, if no socket can be created: messages do not depend on it.
   */
  static async listen(directory: string, around: Around): Promise<ControlServer | undefined> {
    const control = new ControlServer(around)
    try {
      await control.#listen(controlPath(directory))
      return control
    } catch (error) {
      // It may already listen; left open, it would keep a stopped process alive.
      control.#server.close()
      logFault(unusable(directory, error), { what: 'control socket not opened', log: around.log })
      return undefined
    }
  }

  /** Callers that still wait receive an error that the process stops. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const [socket, stop] of this.#talks) {
      stop.abort(new CodedError('stopping'))
      end(socket, refusal(new CodedError('stopping')))
      // A caller that does not read its answer must not delay the stop.
      if (socket.writableLength > 0) socket.destroy()
    }
    await closed
  }

  async #listen(path: string): Promise<void> {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) unlinkSync(path)
    const listening = once(this.#server, 'listening')
    // Created with this mode, not changed a moment later: in that moment anybody could connect.
    const umask = isMainThread ? process.umask(0o177) : undefined
    try {
      this.#server.listen(path)
    } finally {
      if (umask !== undefined) process.umask(umask)
    }
    await listening
    chmodSync(path, 0o600)
    this.#server.on('error', error => logFault(error, { what: 'control socket failed', log: this.#around.log }))
  }

  #enter(socket: Socket): void {
    // A caller that is killed breaks its connection; nothing here ends because of it.
    socket.on('error', () => socket.destroy())
    if (this.#talks.size >= controlLimits.connectionsMax)
      return end(socket, refusal(new CodedError('rate-limited', { what: 'callers of the control socket' })))
    const stop = new AbortController()
    this.#talks.set(socket, stop)
    socket.on('close', () => {
      this.#talks.delete(socket)
      stop.abort(new CodedError('stopping'))
    })
    inBackground(this.#answer(socket, stop.signal), { what: 'control command not answered', log: this.#around.log })
  }

  async #answer(socket: Socket, signal: AbortSignal): Promise<void> {
    const progress = (step: object): void => {
      if (!signal.aborted) write(socket, { progress: step })
    }
    try {
      const { command, arguments: given } = readRequest(await this.#firstLine(socket))
      const { commands } = this.#around
      const run = Object.hasOwn(commands, command) ? commands[command] : undefined
      if (!run)
        throw new CodedError('bad-field', {
          field: 'command',
          rule: `${JSON.stringify(command)} is not a known command`,
        })
      end(socket, { done: await run(given, { progress, signal }) })
    } catch (error) {
      if (signal.aborted) return
      end(socket, this.#refusal(error))
    }
  }

  /** Our own faults go to the log; the operator is pointed to it. */
  #refusal(error: unknown): ControlLine {
    const fault = systemFault(error)
    if (fault instanceof CodedError) return refusal(fault)
    logFault(fault, { what: 'control command failed', log: this.#around.log })
    return refusal(new CodedError('internal'))
  }

  async #firstLine(socket: Socket): Promise<string> {
    const late = this.#around.clock.setTimer(controlLimits.askWithinMs, () => socket.destroy())
    try {
      let text = ''
      socket.setEncoding('utf8')
      for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
        text += chunk
        const [line, ...more] = text.split('\n')
        if (line !== undefined && more.length > 0) return line
        if (text.length > controlLimits.requestCharsMax)
          throw new CodedError('too-large', { what: 'The request', max: controlLimits.requestCharsMax })
      }
      return text
    } finally {
      late.cancel()
      // There are no more requests; keep reading to notice the end of the other side.
      socket.resume()
    }
  }
}

const refusal = ({ message, code }: CodedError): ControlLine => ({ error: message, code })

function write(socket: Socket, line: ControlLine): void {
  if (socket.writable) socket.write(`${JSON.stringify(line)}\n`)
}

/** Closes both halves: a half that the other side leaves open would occupy a slot forever. */
function end(socket: Socket, line: ControlLine): void {
  write(socket, line)
  socket.destroySoon()
}
