// The resources of a start are closed in reverse order, all of them, once.
import { CloseStack, CodedError, startLimits, startWhole } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { expect, test } from 'vitest'

function around() {
  const lines: string[] = []
  const write = (_: object, text: string) => void lines.push(text)
  return { clock: new ManualClock(0), lines, log: { warn: write, error: write } }
}

test('[PROTOCOL-1.14] what was opened is closed newest first, all of it, once, and the first failure is the error', async () => {
  const opened = new CloseStack()
  const closed: string[] = []
  const close = (name: string) => void closed.push(name)
  expect(opened.add('store', close)).toBe('store')
  opened.add('server', async name => {
    close(name)
    throw new Error('first')
  })
  opened.add('metrics', name => {
    close(name)
  })
  const closing = opened.close()
  expect(opened.close()).toBe(closing)
  await expect(closing).rejects.toThrow('first')
  expect(closed).toEqual(['metrics', 'server', 'store'])
})

test('[PROTOCOL-1.15] a start that fails closes what it opened and throws why, also when the closing fails or hangs', async () => {
  const { clock, log, lines } = around()
  const closed: string[] = []
  const failed = startWhole({ clock, log }, async opened => {
    opened.add('store', name => void closed.push(name))
    opened.add('server', () => Promise.reject(new CodedError('storage-failed')))
    throw new CodedError('storage-full')
  })
  await expect(failed).rejects.toMatchObject({ code: 'storage-full' })
  expect([closed, lines]).toEqual([['store'], ['closing after a failed start failed']])

  const hanging = startWhole({ clock, log }, async opened => {
    opened.add('server', () => Promise.withResolvers<void>().promise)
    throw new CodedError('storage-full')
  })
  while (!clock.isAwaited(startLimits.closeWithinMs)) await Promise.resolve()
  clock.advance(startLimits.closeWithinMs)
  await expect(hanging).rejects.toMatchObject({ code: 'storage-full' })
  expect(lines).toHaveLength(2)
})
