// Nothing in the repository may depend on the machine where it was written, or on the place its packages came from.
import { type Check, documentsOf, type Project } from '../project.ts'

interface Ban {
  readonly pattern: RegExp
  readonly why: string
}

const machinePath: Ban = {
  pattern: /(?<![\w.~-])\/(?:work|tmp|root|home|Users)\//,
  why: 'is a path of one machine',
}
const registryHost: Ban = {
  pattern: /\bregistry\.[\w-]+\.[a-z]{2,}|\bnpmmirror\b|^\s*(?:@[\w-]+:)?registry\s*=.*/,
  why: 'names a package registry',
}
const downloadUrl: Ban = { pattern: /"resolved": "https?:/, why: 'names the place a package was loaded from' }

const problemsOf = (project: Project, path: string, bans: readonly Ban[]): string[] =>
  project
    .read(path)
    .split('\n')
    .flatMap((line, index) =>
      bans.flatMap(({ pattern, why }) => {
        const found = pattern.exec(line)?.[0]
        return found === undefined ? [] : [`${path}:${index + 1}: "${found}" ${why}.`]
      }),
    )

export const checkWords: Check = project => {
  const settings = project.paths.filter(path => /(^|\/)(package\.json|\.npmrc)$/.test(path))
  const locks = project.paths.filter(path => /(^|\/)package-lock\.json$/.test(path))
  return [
    ...documentsOf(project).flatMap(path => problemsOf(project, path, [machinePath, registryHost])),
    ...settings.flatMap(path => problemsOf(project, path, [registryHost])),
    ...locks.flatMap(path => problemsOf(project, path, [downloadUrl])),
  ]
}
