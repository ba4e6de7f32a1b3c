// Events of a person on a disk that cannot be read for a while.
import { Writable } from 'node:stream'
import { CodedError, silentLog } from '@postern/protocol'
import { ManualClock, passTime, World } from '@postern/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LineOutput } from '../src/person/line-output.ts'
import { writeEvents } from '../src/person/write-events.ts'

test('[CLI-1.20] events that the disk cannot read are written when it can, each once', async () => {
  const world = await World.start()
  onTestFinished(() => world.stop())
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await bob.openInvite(alice.client.identity.me().inviteUrl)
  await bob.say(alice, 'one')
  await alice.next('message')
  const { journal } = alice.client
  let failures = 3
  const failing = new Proxy(journal, {
    get(target, name) {
      if (name === 'read' && failures-- > 0) throw new CodedError('storage-failed')
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(...String(chunk).trim().split('\n'))
      done()
    },
  })
  const stop = new AbortController()
  const [clock, warn] = [new ManualClock(), vi.fn()]
  const surroundings = { output: new LineOutput(stream), log: { ...silentLog, warn }, until: stop.signal, clock }
  const writing = passTime(clock, writeEvents(failing, surroundings))
  const written = () => lines.map(line => JSON.parse(line) as { event: string; message?: { text?: string } })
  await expect.poll(() => written().filter(({ message }) => message?.text === 'one')).toHaveLength(1)
  expect(warn).toHaveBeenCalledTimes(3)
  stop.abort()
  await writing
})
