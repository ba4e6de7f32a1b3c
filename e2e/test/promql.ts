// The selectors in an expression of Prometheus: what is left without functions, labels, numbers and words.

type Matcher = { label: string; operator: string; value: string }
export type Selector = { name: string; finds: (samples: string[]) => boolean }

const words = new Set([
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
])
/** Added by Prometheus, and in no served sample. */
const targetLabels = new Set(['job', 'instance'])

export function selectorsIn(expression: string): Selector[] {
  const bare = expression.replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ').replaceAll(/\[[^\]]*\]/g, ' ')
  return (
    [...bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\}|\()?/g)]
      .filter(([, name = '', behind]) => behind !== '(' && !words.has(name))
      // In a string, such as a label value, nothing is a name: strings occur in braces alone, and those were read as a whole.
      .map(([, name = '', braces = '']) => ({ name, finds: finding(name, matchersIn(braces)) }))
  )
}

const matchersIn = (braces: string): Matcher[] =>
  [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
    label,
    operator,
    value,
  }))

/** Each of the named values must match something: a misspelt one among others would not be noticed. */
const finding =
  (name: string, matchers: Matcher[]) =>
  (samples: string[]): boolean => {
    const own = samples.filter(sample => sample === name || sample.startsWith(`${name}{`))
    const wanted = matchers.filter(({ label }) => !targetLabels.has(label)).flatMap(eachValue)
    return own.length > 0 && wanted.every(matcher => own.some(sample => isMet(matcher, sample)))
  }

const eachValue = (matcher: Matcher): Matcher[] =>
  matcher.operator === '=~' && /^[\w|]+$/.test(matcher.value)
    ? matcher.value.split('|').map(value => ({ ...matcher, value }))
    : [matcher]

function isMet({ label, operator, value }: Matcher, sample: string): boolean {
  const found = new RegExp(`[{,]${label}="([^"]*)"`).exec(sample)?.[1]
  // A missing label would match a negation, and nobody would notice that it is misspelt.
  if (found === undefined) return false
  const isSame = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(found) : found === value
  return operator.startsWith('!') ? !isSame : isSame
}
