// Whether ts-mls carries our corrections: `npm ci --ignore-scripts` leaves them out without a word, and all its faults in.
import { CodedError } from '@postern/protocol'
import * as secretTree from 'ts-mls/secretTree.js'

/** What the patch says of itself. Older: the code was updated and the library was not. */
const PATCH = 8

export function assertPatched(library: object = secretTree): void {
  if ('posternPatch' in library && library.posternPatch === PATCH) return
  throw new CodedError('library-unpatched')
}
