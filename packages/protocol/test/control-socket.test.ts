// The control socket: its permissions, its commands, and the limits of a caller.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aborted, controlLimits, silentLog } from '@postern/protocol'
import { askControl, CONTROL_NAME, type ControlCommands, ControlServer } from '@postern/protocol/control'
import { ManualClock } from '@postern/testkit/clock'
import { test as base, expect } from 'vitest'

class Heard {
  readonly faults: string[] = []
  readonly log = { ...silentLog, warn: this.#note.bind(this), error: this.#note.bind(this) }

  #note(_fields: object, words: string): void {
    this.faults.push(words)
  }
}

const test = base
  .extend('directory', async ({ task: _task }, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'control-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  .extend('heard', () => new Heard())
  .extend('clock', () => new ManualClock())
  .extend('serve', async ({ directory, heard, clock }, { onCleanup }) => {
    const open: ControlServer[] = []
    onCleanup(async () => {
      await Promise.all(open.map(server => server.close().catch(() => undefined)))
    })
    return async (commands: ControlCommands = {}, at = directory): Promise<ControlServer | undefined> => {
      const server = await ControlServer.listen(at, { commands, clock, log: heard.log })
      if (server) open.push(server)
      return server
    }
  })

const ask = (directory: string, command: string, given: Record<string, unknown> = {}) =>
  askControl(directory, { request: { command, arguments: given } })

/** As `nc` does: sends everything in one go, and then only listens. */
async function rawAnswer(directory: string, said: string): Promise<unknown[]> {
  const socket = connect(join(directory, CONTROL_NAME))
  socket.end(said)
  const lines = (await text(socket)).split('\n').filter(line => line !== '')
  return lines.map(line => JSON.parse(line) as unknown)
}

test('[PROTOCOL-6.1] a command is told how far it is, and then what has come of it', async ({ directory, serve }) => {
  await serve({
    copy: async (given, { progress }) => {
      for (const done of [1, 2]) progress({ done })
      return { copied: given['what'] }
    },
  })
  const steps: object[] = []
  const request = { command: 'copy', arguments: { what: 'all' } }
  expect(await askControl(directory, { request, onProgress: step => steps.push(step) })).toEqual({ copied: 'all' })
  expect(steps).toEqual([{ done: 1 }, { done: 2 }])
  const lines = [{ progress: { done: 1 } }, { progress: { done: 2 } }, { done: { copied: 'all' } }]
  expect(await rawAnswer(directory, `${JSON.stringify(request)}\n`)).toEqual(lines)
})

test.for([
  ['nothing', '', 'bad-field'],
  ['no JSON', 'status\n', 'bad-field'],
  ['no object', '[]\n', 'bad-field'],
  ['no command', '{"arguments":{}}\n', 'bad-field'],
  ['arguments that are none', '{"command":"status","arguments":[]}\n', 'bad-field'],
  ['an unknown command', '{"command":"reboot"}\n', 'bad-field'],
  ['a name of every object', '{"command":"constructor"}\n', 'bad-field'],
  ['too much', `{"command":"${'x'.repeat(controlLimits.requestCharsMax)}`, 'too-large'],
] as const)('[PROTOCOL-6.2] %s is refused by one line', async ([_what, said, code], { directory, serve }) => {
  await serve({ status: async () => ({}) })
  expect(await rawAnswer(directory, said)).toEqual([{ error: expect.any(String), code }])
  expect(await ask(directory, 'status')).toEqual({})
})

test('[PROTOCOL-6.2] a fault of ours is one line that tells nothing of itself, and ends nothing', async ({
  directory,
  serve,
}) => {
  await serve({
    fail: () => Promise.reject(new Error('secret words')),
    throw: () => {
      throw new Error('secret words')
    },
  })
  for (const command of ['fail', 'throw'])
    await expect(ask(directory, command)).rejects.toMatchObject({
      code: 'internal',
      message: expect.not.stringContaining('secret'),
    })
})

test('[PROTOCOL-6.2] callers who say nothing are few, and are sent away', async ({ directory, serve, clock }) => {
  await serve({ status: async () => ({ well: true }) })
  const silent = Array.from({ length: controlLimits.connectionsMax }, () => connect(join(directory, CONTROL_NAME)))
  await Promise.all(silent.map(socket => once(socket, 'connect')))
  await expect(ask(directory, 'status')).rejects.toMatchObject({ code: 'rate-limited' })
  const gone = Promise.all(silent.map(socket => once(socket.resume(), 'close')))
  clock.advance(controlLimits.askWithinMs)
  await gone
  await expect.poll(() => ask(directory, 'status').catch(() => 'refused')).toEqual({ well: true })
})

test('[PROTOCOL-6.2] a caller that is gone ends its command, and nothing else', async ({ directory, serve }) => {
  const ended: string[] = []
  await serve({
    wait: async (_given, { progress, signal }) => {
      while (!signal.aborted) {
        progress({ begun: true })
        await nextTurn()
      }
      ended.push('wait')
      return {}
    },
    status: async () => ({ well: true }),
  })
  const socket = connect(join(directory, CONTROL_NAME))
  socket.write('{"command":"wait"}\n')
  await once(socket, 'data')
  socket.destroy()
  await expect.poll(() => ended).toEqual(['wait'])
  expect(await ask(directory, 'status')).toEqual({ well: true })
})

test('[PROTOCOL-6.3] who waits is told that the process stops, and the socket goes with it', async ({
  directory,
  serve,
}) => {
  const begun = Promise.withResolvers<void>()
  const server = await serve({
    wait: async (_given, { signal }) => {
      begun.resolve()
      await aborted(signal)
      return {}
    },
  })
  const waiting = ask(directory, 'wait')
  waiting.catch(() => undefined)
  await begun.promise
  await server?.close()
  await expect(waiting).rejects.toMatchObject({ code: 'stopping' })
  expect(readdirSync(directory)).toEqual([])
  await expect(ask(directory, 'wait')).rejects.toMatchObject({ code: 'not-running' })
})

test.for([0o000, 0o022, 0o077])(
  '[PROTOCOL-6.4] it is for its user alone, under umask %o',
  async (umask, { directory, serve }) => {
    const before = process.umask(umask)
    try {
      await serve()
      expect((statSync(join(directory, CONTROL_NAME)).mode & 0o777).toString(8)).toBe('600')
      // The restored umask is the previous one.
      expect(process.umask(before)).toBe(umask)
    } finally {
      process.umask(before)
    }
  },
)

test('[PROTOCOL-6.4] one that a kill has left makes room, and a file that is none stays', async ({
  directory,
  heard,
  serve,
}) => {
  // Closed by the system and not by Node, which would remove it.
  const killed = createServer().listen(join(directory, 'other.sock'))
  await once(killed, 'listening')
  renameSync(join(directory, 'other.sock'), join(directory, CONTROL_NAME))
  killed.close()
  await expect(ask(directory, 'status')).rejects.toMatchObject({ code: 'not-running' })
  const server = await serve({ status: async () => ({ well: true }) })
  expect(await ask(directory, 'status')).toEqual({ well: true })
  await server?.close()
  writeFileSync(join(directory, CONTROL_NAME), 'notes of somebody')
  expect(await serve()).toBeUndefined()
  expect(heard.faults).toEqual(['control socket not opened'])
  expect(statSync(join(directory, CONTROL_NAME)).isFile()).toBe(true)
})

test('[PROTOCOL-6.5] where the path is too long for a socket, there is none, and that is said', async ({
  directory,
  heard,
  serve,
}) => {
  const deep = join(directory, 'x'.repeat(120))
  mkdirSync(deep)
  expect(await serve({}, deep)).toBeUndefined()
  expect(heard.faults).toEqual(['control socket not opened'])
  expect(readdirSync(deep)).toEqual([])
  await expect(ask(deep, 'status')).rejects.toMatchObject({ message: expect.stringContaining('too long') })
})

test('[PROTOCOL-6.6] a process that answers nonsense, or nothing, is said so', async ({ directory }) => {
  for (const [said, code] of [
    ['', 'not-running'],
    ['{"progress":{}}\n', 'not-running'],
    ['hello\n', 'internal'],
    ['{"error":"no","code":"account-not-found"}\n', 'account-not-found'],
    ['{"error":"no","code":"__proto__"}\n', 'internal'],
  ] as const) {
    const server = createServer(
      socket =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end(said),
    )
    server.listen(join(directory, CONTROL_NAME))
    await once(server, 'listening')
    await expect(ask(directory, 'status')).rejects.toMatchObject({ code })
    server.close()
    await once(server, 'close')
  }
})
