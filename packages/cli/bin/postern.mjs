#!/usr/bin/env node
// The `postern` command: plain JavaScript, so that a Node too old for TypeScript can still print the requirement.
import './require-node.cjs'
// Not by a named import: an old Node would fail on an unknown name before the line above has run.
import nodeModule from 'node:module'
import { join } from 'node:path'

// Before the first line of TypeScript: with all of it in the cache, Node never loads the type stripper. Next to the
// code and not in /tmp, where another user could place code that we would then run.
nodeModule.enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/postern'))

await import('../src/main.ts')
