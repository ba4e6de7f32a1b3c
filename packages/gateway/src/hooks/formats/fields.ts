// Reading what a stranger sent: any field may be absent, null, or of another type.

export type Fields = Readonly<Record<string, unknown>>

const none: Fields = {}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object behind a field, or one without fields. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : none)

/** The objects of a list; what is none of them is passed over. */
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])
