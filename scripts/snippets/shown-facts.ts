// What the variables of a page stand for: a reader takes them from what was answered before, and so does the test.

type Fields = Readonly<Record<string, unknown>>

/** All objects in what was answered, the newest first. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.toReversed().flatMap(objectsIn)
  if (typeof value !== 'object' || value === null) return []
  return [value as Fields, ...Object.values(value).flatMap(objectsIn)]
}

type Fact = (object: Fields) => unknown

/** From an object of the API to the value, where this is the object that the variable speaks of. */
const facts: Readonly<Record<string, Fact>> = {
  MESSAGE: ({ chat_id, from, id }) => chat_id && from && id,
  PRESS_ID: ({ press_id }) => press_id,
  HOOK: ({ format, url }) => format && url,
  HOOK_ID: ({ format, id }) => format && id,
  GROUP: ({ type, members, id }) => type === 'group' && members && id,
  OFFSET: ({ type, chat_id, id }) => type && chat_id && typeof id === 'number' && id + 1,
}

/** Of commands that print tables and words for people. */
const inWords: Readonly<Record<string, RegExp>> = {
  INVITE_ID: /^([0-9a-f]{8}) {2}\d+ of \d+/m,
  RELAY_INVITE: /^([a-z2-7]{26})$/m,
}

/** Undefined when nothing of the kind was said yet. */
export function factIn(
  name: string,
  { answered, said }: { answered: readonly unknown[]; said: string },
): string | undefined {
  if (Object.hasOwn(inWords, name)) return inWords[name]?.exec(said)?.[1]
  const fact = Object.hasOwn(facts, name) ? facts[name] : undefined
  if (fact === undefined) return undefined
  const found = objectsIn(answered).map(fact).find(Boolean)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
}
