// The lockfile names no download address: the installing user chooses the registry. Only workspaces are resolved in it.
import type { Check } from '../project.ts'

const address = /"resolved": "[a-z+]+:/

export const checkLockfile: Check = project =>
  project.paths
    .filter(path => /^(site\/)?package-lock\.json$/.test(path))
    .flatMap(path =>
      project
        .read(path)
        .split('\n')
        .flatMap((line, at) => (address.test(line) ? [`${path}:${at + 1}: records a download address.`] : [])),
    )
