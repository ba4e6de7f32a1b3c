// The contents that members of a chat read and the relay cannot.
export type { Button, Mention } from './content-fields.ts'
export * from './group-settings.ts'
export * from './invite-link.ts'
export * from './message-content.ts'
export * from './padded-json.ts'
export * from './profile.ts'
export * from './received-body.ts'
export * from './recovery-facts.ts'
