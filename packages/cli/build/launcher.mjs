#!/usr/bin/env -S node --max-semi-space-size=4
// The `postern` command of a bundle: what `bin/postern.mjs` is for the sources.
import '../bin/require-node.cjs'
// Not by name: an old Node would stop at a name it does not know, before the line above has spoken.
import nodeModule from 'node:module'
import { join } from 'node:path'

// Beside the code and not in /tmp, where somebody else could put what we would then run. Where nothing can be written, what is
// there is read, and the rest compiled.
nodeModule.enableCompileCache(join(import.meta.dirname, '.cache'))

await import('../src/main.ts')
