// Runs before each test file: leftovers of the previous file in this process fail the run. In separate processes nobody
// would notice them.
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'

/** Sockets close a moment after the test that closed them. */
const SETTLE_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 5

/** Not `TCPSocketWrap`: an answer with an unread body keeps its socket until garbage collection. */
const HANDLES = new Set(['FSEventWrap', 'MessagePort', 'PipeWrap', 'ProcessWrap', 'TCPServerWrap', 'Timeout'])

type Counts = Map<string, number>
type Begun = { file: string; counts: Counts; variables: object; directory: string }

/** Handles that keep the process alive, and listeners to its events. */
function held(): Counts {
  const counts: Counts = new Map()
  const add = (name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count)
  for (const resource of process.getActiveResourcesInfo()) if (HANDLES.has(resource)) add(resource, 1)
  for (const event of process.eventNames()) add(`listener of ${String(event)}`, process.listenerCount(event))
  return counts
}

const more = (now: Counts, before: Counts): string[] =>
  [...now].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name)

/** Vitest numbers the files in its own variable. */
const variables = (): object =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))

async function assertNothingLeft({ file, counts, variables: before, directory }: Begun): Promise<void> {
  for (let waitedMs = 0; more(held(), counts).length > 0 && waitedMs < SETTLE_WITHIN_MS; waitedMs += LOOK_EVERY_MS)
    await pause(LOOK_EVERY_MS, undefined, { ref: false })
  expect(more(held(), counts), `handles, timers and listeners that ${file} left behind`).toEqual([])
  expect(process.cwd(), `working directory after ${file}`).toBe(directory)
  // A library may add one when it is loaded, which happens once.
  expect(process.env, `environment variables after ${file}`).toMatchObject(before)
}

// A library that imports `node:process` opens the standard streams for the rest of the process: they are here before.
for (const name of ['stdin', 'stdout', 'stderr'] as const) process[name].listenerCount('error')

const kept = globalThis as { posternBegun?: Begun }
const { posternBegun: last } = kept
const now = (): Begun => ({
  file: expect.getState().testPath ?? 'a file',
  counts: held(),
  variables: variables(),
  directory: process.cwd(),
})
kept.posternBegun = last ? { ...last, file: now().file } : now()
if (last) {
  await assertNothingLeft(last).catch((error: unknown) => {
    // Later files are not to blame.
    kept.posternBegun = now()
    throw error
  })
}
