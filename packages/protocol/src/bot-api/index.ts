// The HTTP API as data.
export * from './endpoints.ts'
export * from './errors.ts'
export * from './field-rules.ts'
export * from './objects.ts'
export * from './openapi.ts'
export * from './path-ids.ts'
export * from './person-commands.ts'
export * from './requests.ts'
