// Converts the document to OpenAPI 3.0, for tools that cannot read 3.1.
import { rewritten } from './rewrite.ts'
import type { JsonSchema, OpenapiDocument } from './shapes.ts'

/** OpenAPI 3.0 has no webhooks: the body of a delivery is the schema Update, and docs/api.md describes its signature. */
export function asOpenapi30(newer: OpenapiDocument): OpenapiDocument {
  const { webhooks: _, ...document } = newer
  const { info } = document
  const license = { name: info.license['name'] ?? '', url: 'https://www.apache.org/licenses/LICENSE-2.0' }
  return { ...rewritten(document, lowered), openapi: '3.0.3', info: { ...info, license } }
}

/** OpenAPI 3.0 writes a constant as a list of one. */
function lowered(node: JsonSchema): JsonSchema {
  const { const: constant, ...rest } = node
  return typeof constant === 'string' ? { ...rest, enum: [constant] } : node
}
