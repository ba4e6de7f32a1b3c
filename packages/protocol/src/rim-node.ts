// What relay, core and gateway share on Node alone.
export * from './defer-node.ts'
export * from './make-directory-node.ts'
