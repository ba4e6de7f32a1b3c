// The values of a page's variables: a reader takes them from earlier answers, and so does the test.

type Fields = Readonly<Record<string, unknown>>

/** All objects in an answer, the newest first. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.toReversed().flatMap(objectsIn)
  if (typeof value !== 'object' || value === null) return []
  return [value as Fields, ...Object.values(value).flatMap(objectsIn)]
}

type Fact = (object: Fields) => unknown

/** From an object of the API to the value, if the variable refers to this object. */
const facts: Readonly<Record<string, Fact>> = {
  MESSAGE: ({ chat_id, from, id }) => chat_id && from && id,
  PRESS_ID: ({ press_id }) => press_id,
  HOOK: ({ format, url }) => format && url,
  HOOK_ID: ({ format, id }) => format && id,
  TOKEN: ({ scopes, token }) => scopes && token,
  TOKEN_ID: ({ scopes, token, id }) => scopes && token && id,
  LINK: ({ payload, url }) => payload && url,
  LINK_ID: ({ payload, url, id }) => payload && url && id,
  GROUP: ({ type, members, id }) => type === 'group' && members && id,
  OFFSET: ({ type, chat_id, id }) => type && chat_id && typeof id === 'number' && id + 1,
}

/** For commands that print tables and texts for people. */
const inWords: Readonly<Record<string, RegExp>> = {
  INVITE_ID: /^([0-9a-f]{8}) {2}\d+ of \d+/m,
  RELAY_INVITE: /^([a-z2-7]{26})$/m,
}

/** Undefined when no answer has contained it yet. */
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
