// What relay, core and gateway share on Node alone.
export * from './defer-node.ts'
export * from './make-directory-node.ts'
export * from './malformed-http-node.ts'
export * from './waiting/stop-signal-node.ts'
