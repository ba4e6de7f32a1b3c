// The control socket of a data directory: its server, and the client for commands.
export * from './control-client-node.ts'
export { CONTROL_NAME } from './control-lines.ts'
export * from './control-server-node.ts'
export { type Holdable, holdCommands } from './hold-commands-node.ts'
