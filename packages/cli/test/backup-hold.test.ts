// How long a database is held for a backup: until it is released, its caller is gone, or its log has grown too long.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backupLimits, Deferred, silentLog } from '@postern/protocol'
import { askControl, ControlServer, holdCommands } from '@postern/protocol/control'
import { ManualClock } from '@postern/testkit'
import { test as base, expect } from 'vitest'

const test = base
  .extend('clock', () => new ManualClock(Date.now()))
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-hold-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  /** The events of the database, in order. */
  .extend('happened', (): string[] => [])
  .extend('control', async ({ directory, clock, happened }, { onCleanup }) => {
    const hold = async () => {
      happened.push('held')
      return () => void happened.push('released')
    }
    const commands = holdCommands({ hold, logPath: join(directory, 'log'), clock })
    const control = await ControlServer.listen(directory, { commands, clock, log: silentLog })
    let closed: Promise<void> | undefined
    const close = async () => await (closed ??= control?.close())
    onCleanup(close)
    return { close }
  })
  .extend('hold', ({ directory, control: _listens }) => async () => {
    const held = new Deferred<string>()
    const request = { command: 'hold', arguments: {} }
    const onProgress = (step: object) => held.resolve('held' in step ? String(step.held) : '')
    const over = askControl(directory, { request, onProgress }).catch((error: unknown) => error)
    return { id: await held.promise, over }
  })
  .extend('release', ({ directory }) => async (held: string) => {
    return await askControl(directory, { request: { command: 'release', arguments: { held } } })
  })

test('[CLI-5.10] it is released by its name, once, and not by another', async ({ happened, hold, release }) => {
  const { id, over } = await hold()
  await expect(release('another')).rejects.toThrow(expect.objectContaining({ code: 'backup-overtaken' }))
  expect(happened).toEqual(['held'])
  expect(await release(id)).toEqual({})
  expect(await over).toEqual({})
  expect(happened).toEqual(['held', 'released'])
  await expect(release(id)).rejects.toThrow(expect.objectContaining({ code: 'backup-overtaken' }))
})

test('[CLI-5.10] a caller that is killed holds nothing any more, and the next one may', async ({
  directory,
  control: _listens,
  clock,
  happened,
  hold,
  release,
}) => {
  const caller = connect(join(directory, 'control.sock'))
  caller.write('{"command":"hold"}\n')
  await expect.poll(() => happened).toEqual(['held'])
  caller.destroy()
  const isOver = () => {
    clock.advance(backupLimits.heldLogLookEveryMs)
    return happened
  }
  await expect.poll(isOver).toEqual(['held', 'released'])
  const { id } = await hold()
  await release(id)
})

test('[CLI-5.10] past the limit of its log it is let go, and who copied meanwhile is told that it has no backup', async ({
  directory,
  clock,
  happened,
  hold,
  release,
}) => {
  const log = join(directory, 'log')
  writeFileSync(log, '')
  const { id, over } = await hold()
  truncateSync(log, 1_000_000)
  clock.advance(backupLimits.heldLogLookEveryMs)
  expect(happened).toEqual(['held'])
  // A sparse file, which takes no space.
  truncateSync(log, backupLimits.heldLogBytesMax + 1)
  clock.advance(backupLimits.heldLogLookEveryMs)
  expect(await over).toMatchObject({ code: 'backup-overtaken' })
  expect(happened).toEqual(['held', 'released'])
  await expect(release(id)).rejects.toThrow(expect.objectContaining({ code: 'backup-overtaken' }))
})

test('[CLI-5.10] a process that stops lets go, and whoever copies is told', async ({
  control,
  happened,
  hold,
  release,
}) => {
  const { id, over } = await hold()
  await control.close()
  expect(await over).toMatchObject({ code: 'stopping' })
  await expect.poll(() => happened).toEqual(['held', 'released'])
  await expect(release(id)).rejects.toThrow(expect.objectContaining({ code: 'not-running' }))
})
