// Compares a page with the acknowledgements: every text, once, in the order of the acknowledgements, and nothing else.
import type { Finding } from '../../chaos/check/finding.ts'

/** `when`: before the reload or after it. `acknowledged`: in the order in which they were sent, one after the other. */
export type ShownTexts = { when: string; kind: string; acknowledged: readonly string[]; shown: readonly string[] }

export function checkShown({ when, kind, acknowledged, shown }: ShownTexts): Finding[] {
  const findingOf = (wrong: Finding['wrong'], text: string): Finding => ({
    wrong,
    deed: kind,
    what: `"${text}" ${when}`,
  })
  const known = new Set(acknowledged)
  const lost = acknowledged.filter(text => !shown.includes(text)).map(text => findingOf('lost', text))
  const invented = shown.filter(text => !known.has(text)).map(text => findingOf('invented', text))
  const doubled = shown.filter((text, at) => shown.indexOf(text) < at).map(text => findingOf('doubled', text))
  const places = shown.filter(text => known.has(text)).map(text => acknowledged.indexOf(text))
  const reordered = places
    .filter((place, at) => at > 0 && place < (places[at - 1] ?? 0))
    .map(place => findingOf('reordered', acknowledged[place] ?? ''))
  return [...lost, ...invented, ...doubled, ...reordered]
}
