// The HTTP API as data.
export * from './chat-id.ts'
export * from './endpoints.ts'
export * from './errors.ts'
export * from './field-rules.ts'
export * from './objects.ts'
export * from './person-commands.ts'
