// The campaign with a page of the app in small, and its checker: one fault at a time.
import { expect, test } from 'vitest'
import { checkShown } from '../src/browser/check/check-shown.ts'
import { runBrowser } from '../src/browser/run-browser.ts'
import { expectNothingWrong } from './short-run.ts'

const SECONDS = 8

test('a page that stalls and is reloaded shows all that was acknowledged', { timeout: 600_000 }, async () => {
  await expectNothingWrong(({ seed, say }) => runBrowser({ seconds: SECONDS, seed, say }))
})

test.each([
  ['nothing', ['1', '2', '3'], []],
  ['a loss', ['1', '3'], ['lost']],
  ['a double', ['1', '2', '3', '3'], ['doubled']],
  ['a swap', ['2', '1', '3'], ['reordered']],
  ['what nobody said', ['1', '2', '9', '3'], ['invented']],
])('of what a page shows, %s is found', (_, shown, wrong) => {
  const findings = checkShown({ when: 'at the end', kind: 'text', acknowledged: ['1', '2', '3'], shown })
  expect(findings.map(finding => finding.wrong)).toEqual(wrong)
})
