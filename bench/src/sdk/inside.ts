// The SDK from its sources: its package is built only when it is packed.
export { Bot } from '../../../packages/sdk/src/index.ts'
