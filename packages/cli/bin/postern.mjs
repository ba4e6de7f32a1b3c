#!/usr/bin/env node
// The `postern` command: plain JavaScript, so that a Node too old for TypeScript still gets to say so.
import './require-node.cjs'

await import('../src/main.ts')
