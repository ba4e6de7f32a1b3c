// The words of a malicious person: pieces that run, reverse, pile up, hide or never end, and random combinations.
import type { SeededRandom } from '@postern/testkit/random'

export const RUNS = '<script>globalThis.wasRun = 1</script><img src=x onerror="globalThis.wasRun = 1">'
export const MARKS = '\u0301\u0336\u0489\u20dd'

const pieces: readonly string[] = [
  RUNS,
  '"><svg/onload=globalThis.wasRun=1>',
  '${globalThis.wasRun=1} {{constructor.constructor("wasRun=1")()}}',
  'javascript:globalThis.wasRun=1',
  'data:text/html,<script>wasRun=1</script>',
  'https://bank.example@evil.example/\u202Egnp.exe',
  `https://${'a'.repeat(60)}.example/${'%F0'.repeat(200)}`,
  `Z${MARKS.repeat(100)}`,
  'W'.repeat(400),
  '\u202Egnp.exe',
  '\u2066'.repeat(130),
  '\u2067\u202D\u202E\u061C\u200F',
  '\u0000\u0007\u001b[31m\u009b\u007f',
  '\u2028\u2029\u0085\u000b\r\n',
  '\n'.repeat(60),
  '\t'.repeat(200),
  ' '.repeat(400),
  '\u00a0'.repeat(300),
  '\u200b\u200d\u2060\u00ad\u3164\u{e0041}'.repeat(40),
  '\ufdfd'.repeat(12),
  '\u{1242b}\ua9c5'.repeat(12),
  '👩‍👩‍👧‍👦'.repeat(30),
  '\ud800',
  'مرحبا بالعالم '.repeat(6),
  'ก็็็็็็็็็็็็็็็็็็็็',
  '/start @all #x',
  '-'.repeat(300),
]

/** At most this many characters, as the protocol counts them. */
export const cutTo = (charsMax: number, text: string): string => [...text].slice(0, charsMax).join('')

/** A letter first: the rest may be invisible. */
export function anyWords(random: SeededRandom, charsMax: number): string {
  const count = 1 + random.below(6)
  const chosen = Array.from({ length: count }, () => random.of(pieces))
  return cutTo(charsMax, `m${chosen.join(random.of(['', ' ']))}`)
}
