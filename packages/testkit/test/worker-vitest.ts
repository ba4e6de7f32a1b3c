// The part of vitest that contract suites need in a browser's worker: names and cases, and a few assertions.
type Step = () => unknown
type Group = { title: string; before: Step[] }

const cases = new Map<string, { run: Step; before: Step[] }>()
let around: Group[] = []
const ready = new Set<Step>()

export function describe(title: string, define: Step): void {
  const outer = around
  around = [...around, { title, before: [] }]
  define()
  around = outer
}

/** Once, before the first case of its group. */
export function beforeAll(step: Step): void {
  around.at(-1)?.before.push(step)
}

export function it(title: string, run: Step): void {
  const before = around.flatMap(group => group.before)
  cases.set([...around.map(group => group.title), title].join(' › '), { run, before })
}

export const caseNames = (): string[] => [...cases.keys()]

export async function runCase(name: string): Promise<void> {
  const found = cases.get(name)
  if (!found) throw new Error(`There is no case ${name}`)
  for (const step of found.before) {
    if (ready.has(step)) continue
    ready.add(step)
    await step()
  }
  await found.run()
}

type Claims = {
  toBe(expected: unknown): void
  toEqual(expected: unknown): void
  toBeUndefined(): void
  toHaveLength(expected: number): void
  toBeGreaterThan(expected: number): void
  toMatchObject(expected: object): void
}
type Rejection = { toThrow(): Promise<void>; toMatchObject(expected: object): Promise<void> }

export function expect(actual: unknown): Claims & { not: Claims; rejects: Rejection } {
  return { ...claimsOf(actual, true), not: claimsOf(actual, false), rejects: rejectionOf(actual) }
}

function claimsOf(actual: unknown, wanted: boolean): Claims {
  const claim = (holds: boolean, said: string) => {
    if (holds !== wanted) throw new Error(`expected ${show(actual)} ${wanted ? '' : 'not '}${said}`)
  }
  return {
    toBe: expected => claim(Object.is(actual, expected), `to be ${show(expected)}`),
    toEqual: expected => claim(isSame(actual, expected), `to equal ${show(expected)}`),
    toBeUndefined: () => claim(actual === undefined, 'to be undefined'),
    toHaveLength: expected => claim((actual as ArrayLike<unknown>).length === expected, `to have length ${expected}`),
    toBeGreaterThan: expected => claim((actual as number) > expected, `to be greater than ${expected}`),
    toMatchObject: expected => claim(hasFields(actual, expected), `to match ${show(expected)}`),
  }
}

function rejectionOf(actual: unknown): Rejection {
  const failure = async () => {
    try {
      await (typeof actual === 'function' ? (actual as Step)() : actual)
    } catch (error) {
      return error
    }
    throw new Error('expected a failure, and it went well')
  }
  return {
    toThrow: async () => void (await failure()),
    toMatchObject: async expected => claimsOf(await failure(), true).toMatchObject(expected),
  }
}

/** By value; bytes by their numbers, in any kind of array. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (ArrayBuffer.isView(one) !== ArrayBuffer.isView(other) || Array.isArray(one) !== Array.isArray(other)) return false
  const [ours, theirs] = [Object.entries(one), Object.entries(other)]
  return ours.length === theirs.length && hasFields(one, other)
}

const hasFields = (actual: unknown, expected: object): boolean =>
  Object.entries(expected).every(([name, value]) => isSame((actual as Record<string, unknown>)[name], value))

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  return JSON.stringify(value) ?? 'undefined'
}
