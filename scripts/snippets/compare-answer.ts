// Compares the answer on a page with the real answer of a command.

/** The difference in words; undefined when the page is right. Ids and times differ each time. */
export function differenceIn(written: unknown, real: unknown, at = 'the answer'): string | undefined {
  if (typeof written === 'string') return textDifference(written, real, at)
  if (Array.isArray(written)) return listDifference(written, real, at)
  if (typeof written === 'object' && written !== null) return objectDifference(written, real, at)
  if (typeof written === 'number' && typeof real === 'number' && /\b(\w+_)?(id|ts|time)$/.test(at)) return undefined
  return written === real ? undefined : `${at} is ${shown(real)}, not ${shown(written)}`
}

/** An ellipsis matches any text. */
function textDifference(written: string, real: unknown, at: string): string | undefined {
  const parts = written.split('…').map(part => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  const isRight = typeof real === 'string' && new RegExp(`^${parts.join('[^]*')}$`).test(real)
  return isRight ? undefined : `${at} is ${shown(real)}, not ${shown(written)}`
}

function listDifference(written: readonly unknown[], real: unknown, at: string): string | undefined {
  if (!Array.isArray(real)) return `${at} is ${shown(real)}, no list`
  if (written.length !== real.length) return `${at} has ${real.length} of them, not ${written.length}: ${shown(real)}`
  const inOrder = at.endsWith('.members') ? likeWritten(written, real) : real
  return firstOf(written.map((item, index) => differenceIn(item, inOrder[index], `${at}[${index}]`)))
}

/** Members are in the order of their ids, which differ in each run. */
function likeWritten(written: readonly unknown[], real: readonly unknown[]): unknown[] {
  const found = written.map(item => real.find(one => differenceIn(item, one) === undefined)).filter(Boolean)
  return [...found, ...real.filter(one => !found.includes(one))]
}

function objectDifference(written: object, real: unknown, at: string): string | undefined {
  if (typeof real !== 'object' || real === null || Array.isArray(real)) return `${at} is ${shown(real)}, no object`
  const fields = new Map<string, unknown>(Object.entries(real))
  const names = new Set([...Object.keys(written), ...fields.keys()])
  const wrong = [...names].filter(name => !fields.has(name) || !Object.hasOwn(written, name))
  if (wrong.length > 0) return `${at} has or lacks ${wrong.join(', ')}: ${shown(real)}`
  return firstOf(Object.entries(written).map(([name, value]) => differenceIn(value, fields.get(name), `${at}.${name}`)))
}

const firstOf = (differences: readonly (string | undefined)[]): string | undefined => differences.find(Boolean)
const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing'
