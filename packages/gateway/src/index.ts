// The gateway, for the command line and for tests.
export { firstStart } from './bot/apply-settings.ts'
export { type GatewaySettings, readSettings } from './config.ts'
export { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'
export { runGateway } from './main.ts'
export type { GatewayStatus } from './operator-commands.ts'
export { WebhookSigner } from './webhook/sign.ts'
