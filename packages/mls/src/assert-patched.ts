// Checks that ts-mls carries our corrections: `npm ci --ignore-scripts` silently leaves them out, with all the faults
// that they fix.
import { CodedError } from '@postern/protocol'
import * as secretTree from 'ts-mls/secretTree.js'

/** The number that the patch exports. An older one means that the code was updated and the library was not. */
const PATCH = 8

export function assertPatched(library: object = secretTree): void {
  if ('posternPatch' in library && library.posternPatch === PATCH) return
  throw new CodedError('library-unpatched')
}
