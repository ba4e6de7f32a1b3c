#!/usr/bin/env -S node --max-semi-space-size=4
// The `postern` command of a bundle, as `bin/postern.mjs` is for the sources.
import '../bin/require-node.cjs'
// Not by a named import: an old Node would fail on an unknown name before the line above has run.
import nodeModule from 'node:module'
import { join } from 'node:path'

// Next to the code and not in /tmp, where another user could place code that we would then run. In a read-only folder
// the existing cache is used, and the rest is compiled.
nodeModule.enableCompileCache(join(import.meta.dirname, '.cache'))

await import('../src/main.ts')
