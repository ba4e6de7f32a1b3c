#!/usr/bin/env node
// The `postern` command: plain JavaScript, so that a Node too old for TypeScript still gets to say so.
import './require-node.cjs'
// Not by name: an old Node would stop at a name it does not know, before the line above has spoken.
import nodeModule from 'node:module'
import { join } from 'node:path'

// Before the first line of TypeScript: with all of it in the cache, Node never loads what strips the types.
// Beside the code and not in /tmp, where somebody else could put what we would then run.
nodeModule.enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/postern'))

await import('../src/main.ts')
