// The findings of axe-core on a screen: obstacles for its users.
import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** `rules`: all if none are given. Evaluated by the debugger, not by the page: its policy stays unchanged. */
export async function findingsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as unknown
  }
  // Once per document, however often it is checked.
  if ((await evaluate(`'axe' in globalThis`)) !== true) await evaluate(`(() => {${source}})(); 0`)
  // All animations at their end: a fading element does not have its colours yet.
  await evaluate('for (const one of document.getAnimations()) try { one.finish() } catch {}')
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const json = await evaluate(`axe.run(document, ${JSON.stringify(options)}).then(JSON.stringify)`)
  await devtools.detach()
  const { violations } = JSON.parse(String(json)) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) =>
        `${id}: ${html.slice(0, 200)} ${failureSummary?.split('\n').slice(1, 3).join(' ').trim() ?? ''}`,
    ),
  )
}
