// A library without our corrections is not used at all.
import * as secretTree from 'ts-mls/secretTree.js'
import { expect, test } from 'vitest'
import { assertPatched } from '../src/assert-patched.ts'

test('[MLS-1.6] the library as it is installed passes; without the corrections, or with older ones, it does not', () => {
  expect(() => assertPatched()).not.toThrow()
  const { createSecretTree } = secretTree
  for (const library of [{ createSecretTree }, { createSecretTree, posternPatch: 2 }])
    expect(() => assertPatched(library)).toThrow(
      expect.objectContaining({ code: 'library-unpatched', message: expect.stringContaining('npm run postinstall') }),
    )
})
