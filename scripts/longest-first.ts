// The order of test files: the longest first, so that none of them is left to run alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Each of these takes half a minute or more; the rest of the slow ones follow them. */
const longest = [
  'scripts/test/snippets.slow.test.ts',
  'e2e/test/examples',
  'campaign/test/chaos',
  'packages/cli/test/gateway-process',
  'packages/cli/test/demo.slow',
  'packages/cli/test/backup-gateway',
  'packages/cli/test/doctor.slow',
  'packages/core/test/hostile/',
  'packages/media/test/thin-jpeg',
]

function rankOf(file: string): number {
  const at = longest.findIndex(part => file.includes(part))
  if (at >= 0) return at
  return file.includes('.slow.') ? longest.length : longest.length + 1
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    return bySize.toSorted((one, two) => rankOf(one.moduleId) - rankOf(two.moduleId))
  }
}
