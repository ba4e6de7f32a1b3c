// The control socket of a data directory: for the process that has the data, and for commands that speak to it.
export * from './control-client-node.ts'
export { CONTROL_NAME } from './control-lines.ts'
export * from './control-server-node.ts'
export { type Holdable, holdCommands } from './hold-commands-node.ts'
