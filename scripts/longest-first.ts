// The order of test files: the longest of the last run first, so that none of them runs alone at the end; browsers
// between them.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** For a file without a duration from the last run: a slow one probably takes this long. */
const SLOW_MS = 20_000

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    const lastedMs = (file: TestSpecification): number =>
      this.ctx.cache.getTestSpecificationResult(file)?.duration ?? (file.moduleId.includes('.slow.') ? SLOW_MS : 0)
    const longestFirst = bySize.toSorted((one, two) => lastedMs(two) - lastedMs(one))
    const alone = longestFirst.filter(({ project }) => project.config.isolate)
    const inBrowsers = alone.filter(({ project }) => project.name === 'browsers')
    const others = alone.filter(file => !inBrowsers.includes(file))
    // Files that share a process come last and together: the pool ends the process at a file of another project.
    return [...spread(inBrowsers, others), ...longestFirst.filter(file => !alone.includes(file))]
  }
}

/** The few among the many, evenly and each in its order: three concurrent browsers would take all of a small machine. */
function spread<Item>(few: readonly Item[], many: readonly Item[]): Item[] {
  const placed = [few, many].flatMap(all => all.map((item, at) => ({ item, place: (at + 0.5) / all.length })))
  return placed.toSorted((one, two) => one.place - two.place).map(({ item }) => item)
}
