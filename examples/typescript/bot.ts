// The SDK for all examples, from its sources: nothing has to be installed or built.
// In a project of your own, import the package instead (packages/sdk/README.md says where it comes from):
//
//     import { Bot } from '@postern/sdk'
export * from '../../packages/sdk/src/index.ts'
