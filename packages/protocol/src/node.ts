// The parts that relay, core and gateway share on Node only.
export * from './database-damage-node.ts'
export * from './defer-node.ts'
export * from './make-directory-node.ts'
export * from './malformed-http-node.ts'
export * from './requests-in-turn-node.ts'
export * from './steady-sqlite-node.ts'
export * from './waiting/stop-signal-node.ts'
