// Values that break programs: of every type, at the edges of every limit, and texts that are more or less than they seem.
import type { SeededRandom } from '@postern/testkit'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const HALF_PAIR = '\ud800'

export const nastyTexts: readonly string[] = [
  '',
  ' ',
  '\t\n',
  '\0',
  'a\0b',
  '\u0085',
  '\u2028',
  '\u202e right to left',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\ufffd',
  '\uffff',
  HALF_PAIR,
  `a${HALF_PAIR}b`,
  '\udc00',
  '👍',
  '👍👍',
  '👩‍👩‍👧‍👦',
  '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  '🇩🇪',
  '1️⃣',
  'e\u0301',
  `z${'\u0301'.repeat(500)}`,
  'ﷺ',
  'İıſK',
  '../../etc/passwd',
  '..%2f..',
  '%00',
  '%',
  '%zz',
  '%ff',
  '{}',
  '[]',
  'null',
  'undefined',
  'NaN',
  'true',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "' OR 1=1 --",
  '"; DROP TABLE message; --',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'https://example.org/',
  'javascript:alert(1)',
  'data:text/html,x',
  'a'.repeat(26),
  'a'.repeat(32),
  'b'.repeat(32),
  '0',
  '-1',
  '61',
  '101',
  '1e3',
  '1.5',
  '0x10',
  '９',
  '9007199254740991',
  '9007199254740993',
  '99999999999999999999',
]

const nastyNumbers: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  2,
  11,
  12,
  13,
  1e21,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  2 ** 63,
  Date.UTC(2000, 0),
  8.64e15,
  8.64e15 + 1,
]

/** Around the limits of texts, names, captions and keys. */
const lengths = [2, 31, 32, 33, 63, 64, 65, 100, 101, 128, 129, 255, 256, 300, 301, 512, 513, 4095, 4096, 4097, 9000]

export function nastyText(random: SeededRandom): string {
  const kind = random.below(10)
  if (kind < 6) return random.of(nastyTexts)
  if (kind < 9) return random.of(['x', 'ü', '👍', '\u0301', ' ', HALF_PAIR]).repeat(random.of(lengths))
  return Array.from({ length: random.below(40) }, () => String.fromCharCode(random.below(0x10000))).join('')
}

export function nastyJson(random: SeededRandom, depth = 0): Json {
  switch (random.below(depth > 3 ? 4 : 7)) {
    case 0:
      return null
    case 1:
      return random.below(2) === 0
    case 2:
      return random.of(nastyNumbers)
    case 3:
    case 4:
      return nastyText(random)
    case 5:
      return Array.from({ length: random.below(4) }, () => nastyJson(random, depth + 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [random.of(nastyTexts), nastyJson(random, depth + 1)]),
      )
  }
}
