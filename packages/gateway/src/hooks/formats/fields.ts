// Reads untrusted JSON: any field may be absent, null, or of another type.

export type PostFields = Readonly<Record<string, unknown>>

const none: PostFields = {}

export const isFields = (value: unknown): value is PostFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object in a field, or one without fields. */
export const fieldsOf = (value: unknown): PostFields => (isFields(value) ? value : none)

/** The objects of a list; other values are ignored. */
export const listOf = (value: unknown): PostFields[] => (Array.isArray(value) ? value.filter(isFields) : [])
