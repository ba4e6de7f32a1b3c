// Says which declarations of the product have a name that is refused, or that is exported by another file of the same package.
import { type ImportGraph, partOf } from './import-graph.ts'
import type { NameLaw } from './names.ts'
import type { Declared } from './read-declarations.ts'

interface Place extends Declared {
  readonly path: string
}

const sourceOfPackage = /^packages\/[^/]+\/src\//

const byPackage = ({ modules }: ImportGraph): Map<string, Place[]> =>
  Map.groupBy(
    [...modules.values()]
      .filter(({ path }) => sourceOfPackage.test(path))
      .flatMap(({ path, declares }) => declares.map(declared => ({ ...declared, path }))),
    ({ path }) => partOf(path),
  )

const refusal = ({ refusedVerbs, takenTypes }: NameLaw, { name, kind }: Declared): string | undefined => {
  const verb = kind === 'function' ? /^[a-z]+(?=[A-Z]|$)/.exec(name)?.[0] : undefined
  if (verb !== undefined && Object.hasOwn(refusedVerbs, verb)) return refusedVerbs[verb]
  return kind === 'type' && takenTypes.includes(name) ? 'It is read as the type of the language.' : undefined
}

/** Types count even when they are not exported: who searches for one finds the other. Functions of a file stay its own. */
const exportedElsewhere = (place: Place, all: readonly Place[]): Place | undefined =>
  place.isExported || place.kind === 'type'
    ? all.find(other => other.isExported && other.name === place.name && other.path !== place.path)
    : undefined

const problemOf = (law: NameLaw, place: Place, all: readonly Place[]): string | undefined => {
  const refused = refusal(law, place)
  const twin = exportedElsewhere(place, all)
  if (refused !== undefined) return `names: ${place.path} declares ${place.name}\n  ${refused}`
  if (twin !== undefined)
    return `names: ${place.path} declares ${place.name}, and ${twin.path} exports it\n  A search must find one of them.`
  return undefined
}

export const checkNames = (graph: ImportGraph, law: NameLaw): string[] => {
  const places = byPackage(graph)
  const wrong = [...places.values()].flatMap(all =>
    all.flatMap(place => {
      const problem = problemOf(law, place, all)
      return problem === undefined ? [] : [{ part: partOf(place.path), name: place.name, problem }]
    }),
  )
  return [
    ...wrong.filter(({ part, name }) => law.left[part]?.includes(name) !== true).map(({ problem }) => problem),
    ...Object.entries(law.left).flatMap(([part, names]) =>
      names
        .filter(name => !wrong.some(one => one.part === part && one.name === name))
        .map(name => `names: ${name} of ${part} is in order: take it out of scripts/architecture/names.ts.`),
    ),
  ]
}
