// Following the journal: page after page, including new entries, until the stop.
import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Notifier } from '@postern/protocol'
import { expect, test } from 'vitest'
import { followJournal } from '../src/journal/follow-journal.ts'

/** A journal of numbers, and a reader that follows it, two at a time. */
function follower() {
  const entries: number[] = []
  const notifier = new Notifier()
  const stop = new AbortController()
  const seen: number[][] = []
  const append = (...more: number[]) => {
    entries.push(...more)
    notifier.notify()
  }
  const read = () => entries.slice(seen.flat().length).slice(0, 2)
  const follow = async (work: (page: readonly number[]) => unknown = () => undefined) => {
    const journal = { onAppend: (listener: () => void) => notifier.listen(listener) }
    for await (const page of followJournal(journal, { read, until: stop.signal })) {
      await work(page)
      seen.push([...page])
    }
  }
  const listeners = () => [notifier.listenerCount, getEventListeners(stop.signal, 'abort').length]
  return { append, follow, stop, seen, listeners }
}

test('[CORE-8.6] gives what there is in pages, then what comes, and ends at the stop', async () => {
  const { append, follow, stop, seen, listeners } = follower()
  append(1, 2, 3)
  const following = follow()
  await nextTurn()
  expect(seen).toEqual([[1, 2], [3]])
  expect(listeners()).toEqual([1, 1])
  append(4)
  await nextTurn()
  expect(seen).toEqual([[1, 2], [3], [4]])
  stop.abort()
  await following
  expect(listeners()).toEqual([0, 0])
})

test('[CORE-8.6] what comes while a page is dealt with is given next', async () => {
  const { append, follow, stop, seen, listeners } = follower()
  append(1)
  const following = follow(async page => {
    if (page[0] === 1) append(2)
    await nextTurn()
    if (page[0] === 2) append(3)
  })
  while (seen.length < 3) await nextTurn()
  expect(seen).toEqual([[1], [2], [3]])
  stop.abort()
  await following
  expect(listeners()).toEqual([0, 0])
})

test('[CORE-8.6] a reader that can recover from an error goes on at its place', async () => {
  const entries = [1, 2]
  const stop = new AbortController()
  const errors: unknown[] = []
  const seen: number[] = []
  let isFailing = true
  const read = () => {
    if (isFailing) throw new Error('the disk')
    return entries.slice(seen.length)
  }
  const recover = async (error: unknown) => {
    errors.push(error)
    isFailing = errors.length < 2
  }
  const journal = { onAppend: () => () => undefined }
  for await (const page of followJournal(journal, { read, until: stop.signal, recover })) {
    seen.push(...page)
    stop.abort()
  }
  expect(seen).toEqual([1, 2])
  expect(errors).toEqual([new Error('the disk'), new Error('the disk')])
})

test('[CORE-8.6] what fails ends it, and who follows anew is given the same again', async () => {
  const { append, follow, stop, seen, listeners } = follower()
  append(1)
  const failing = follow(() => Promise.reject(new Error('the disk is full')))
  await expect(failing).rejects.toThrow('the disk is full')
  const following = follow()
  await nextTurn()
  expect(seen).toEqual([[1]])
  stop.abort()
  await following
  expect(listeners()).toEqual([0, 0])
})

test('[CORE-8.6] who was stopped before reads nothing', async () => {
  const { append, follow, stop, seen } = follower()
  append(1)
  stop.abort()
  await follow()
  expect(seen).toEqual([])
})
