// Finds declarations of the product with a refused name, or a name that another file exports: of the same package, and
// for types of any package.
import { type ImportGraph, partOf } from './import-graph.ts'
import type { NameLaw } from './names.ts'
import type { Declared } from './read-declarations.ts'

interface Place extends Declared {
  readonly path: string
}

const sourceOfPackage = /^packages\/[^/]+\/src\//

const placesIn = ({ modules }: ImportGraph): Place[] =>
  [...modules.values()]
    .filter(({ path }) => sourceOfPackage.test(path))
    .flatMap(({ path, declares }) => declares.map(declared => ({ ...declared, path })))

const isOneParticiple = (name: string): boolean => /^[A-Z][a-z]+(ing|ed)$/.test(name)

const refusal = (law: NameLaw, { name, kind, isExported }: Declared): string | undefined => {
  const verb = kind === 'function' ? /^[a-z]+(?=[A-Z]|$)/.exec(name)?.[0] : undefined
  if (verb !== undefined && Object.hasOwn(law.refusedVerbs, verb)) return law.refusedVerbs[verb]
  if (kind !== 'type') return undefined
  if (law.takenTypes.includes(name)) return 'It is read as the type of the language.'
  const isNoNoun = law.refusedTypes.includes(name) || (isOneParticiple(name) && !law.nouns.includes(name))
  return isExported && isNoNoun
    ? 'A type is a noun: name what a value of it is, such as a result or a context.'
    : undefined
}

/**
 * A type that is not exported counts, too: a search for the exported one finds both. The functions of a file are its own,
 * and two packages may export a function of the same name.
 */
const exportedElsewhere = (law: NameLaw, place: Place, named: readonly Place[]): Place | undefined => {
  if (!place.isExported && place.kind !== 'type') return undefined
  const isApart = ({ path }: Place): boolean => law.apart?.includes(partOf(path)) === true
  return named.find(
    other =>
      other.isExported &&
      other.path !== place.path &&
      (partOf(other.path) === partOf(place.path) ||
        (place.kind === 'type' && other.kind === 'type' && !isApart(place) && !isApart(other))),
  )
}

const problemOf = (law: NameLaw, place: Place, named: readonly Place[]): string | undefined => {
  const refused = refusal(law, place)
  const twin = exportedElsewhere(law, place, named)
  if (refused !== undefined) return `names: ${place.path} declares ${place.name}\n  ${refused}`
  if (twin !== undefined)
    return `names: ${place.path} declares ${place.name}, and ${twin.path} exports it\n  A search must find one of them.`
  return undefined
}

export const checkNames = (graph: ImportGraph, law: NameLaw): string[] => {
  const byName = Map.groupBy(placesIn(graph), ({ name }) => name)
  const wrong = [...byName.values()].flatMap(named =>
    named.flatMap(place => {
      const problem = problemOf(law, place, named)
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
