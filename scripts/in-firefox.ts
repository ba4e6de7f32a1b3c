// The test files that run a second time in Firefox: walks through what people do most, and what browsers do differently.
import { FIREFOX_MISSING, findFirefox } from '@postern/testkit/firefox'

export const IN_BOTH_BROWSERS: readonly string[] = [
  'files',
  'first-walk',
  'groups-and-restore',
  'pointer-menu',
  'tabs',
  'unsupported',
  'voice',
].map(name => `packages/app/test/walks/${name}.slow.test.ts`)

/** None without Firefox, with a warning. */
export function filesInFirefox(): string[] {
  if (findFirefox() !== undefined) return [...IN_BOTH_BROWSERS]
  console.warn(`${FIREFOX_MISSING} The app is tried in Chromium alone.`)
  return []
}
