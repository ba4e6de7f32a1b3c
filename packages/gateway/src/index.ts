// The gateway, for the command line and for tests.
export { type Environment, type GatewaySettings, readSettings } from './config.ts'
export { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'
export { runGateway } from './main.ts'
