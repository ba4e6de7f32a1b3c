// Work that nobody awaits: its errors are logged and end nothing.
import { ManualClock } from '@postern/testkit/clock'
import { beforeEach, describe, expect, test } from 'vitest'
import { CodedError, faultFields, guarded, guardedClock, inBackground, LogThrottle, systemFault } from '../src/index.ts'

const lines: [level: string, fields: object, text: string][] = []
const log = {
  warn: (fields: object, text: string) => void lines.push(['warn', fields, text]),
  error: (fields: object, text: string) => void lines.push(['error', fields, text]),
}
const background = { what: 'it could not be done', log }
const fault = new TypeError('a fault of ours')
const diskFault = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
const warning = { code: 'storage-failed', reason: new CodedError('storage-failed').message, system: diskFault.code }

beforeEach(() => void (lines.length = 0))

describe('what fails', () => {
  test('[PROTOCOL-5.1] in a promise is said once: as a warning what has to be expected, as an error with its stack a fault of ours', async () => {
    for (const error of [diskFault, fault]) inBackground(Promise.reject(error), background)
    await Promise.resolve()
    expect(lines).toEqual([
      ['warn', warning, background.what],
      ['error', { err: fault }, background.what],
    ])
  })

  test('[PROTOCOL-5.1] looks the same in the log of whoever chooses the level', () => {
    expect([diskFault, fault].map(faultFields)).toEqual([warning, { err: fault }])
  })

  test('[PROTOCOL-5.1] because the program stops is not said', async () => {
    inBackground(Promise.reject(new CodedError('stopping')), background)
    await Promise.resolve()
    expect(lines).toEqual([])
  })

  test('[PROTOCOL-5.1] in a callback or a timer reaches nobody but the log', () => {
    const fail = () => {
      throw diskFault
    }
    guarded(fail, background)()
    const clock = new ManualClock()
    guardedClock(clock, log).setTimer(1, fail)
    clock.advance(1)
    expect(lines.map(([level, fields]) => [level, fields])).toEqual([
      ['warn', warning],
      ['warn', warning],
    ])
  })
})

test.each([
  ['ENOSPC', 'storage-full'],
  ['EDQUOT', 'storage-full'],
  ['SQLITE_FULL', 'storage-full'],
  ['EROFS', 'storage-failed'],
  ['EIO', 'storage-failed'],
  ['SQLITE_READONLY_DBMOVED', 'storage-failed'],
  ['EMFILE', 'descriptors-used-up'],
  ['ENFILE', 'descriptors-used-up'],
  ['SQLITE_CORRUPT', 'storage-failed'],
])('[PROTOCOL-5.2] %s of the system is %s', (said, code) => {
  expect(systemFault(Object.assign(new Error(said), { code: said }))).toMatchObject({ code })
})

test('[PROTOCOL-5.3] what lasts is said once in a while, with how often it was left unsaid, whatever the clock is set to', () => {
  const clock = new ManualClock()
  const throttle = new LogThrottle(clock, 1000)
  const said: object[] = []
  const say = (what: string) => throttle.say(what, unsaid => said.push({ what, ...unsaid }))
  for (let times = 0; times < 4; times++) say('full')
  say('dead')
  clock.advance(1000)
  say('full')
  expect(said).toEqual([{ what: 'full' }, { what: 'dead' }, { what: 'full', unsaid: 3 }])
  clock.set(-5000)
  clock.set(60_000)
  say('full')
  expect(said).toHaveLength(3)
  clock.advance(1000)
  say('full')
  expect(said).toHaveLength(4)
})
