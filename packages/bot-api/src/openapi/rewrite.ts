// Applies a change to every schema in a JSON tree, innermost first.

type Tree = Record<string, unknown>

/** Their values are data and not schemas, whatever their fields are called. */
const DATA = new Set(['examples', 'default', 'mapping'])

export function rewritten<Value>(value: Value, change: (node: Tree) => Tree): Value
export function rewritten(value: unknown, change: (node: Tree) => Tree): unknown {
  if (Array.isArray(value)) return value.map(item => rewritten<unknown>(item, change))
  if (typeof value !== 'object' || value === null) return value
  return change(
    Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, DATA.has(key) ? inner : rewritten<unknown>(inner, change)]),
    ),
  )
}
