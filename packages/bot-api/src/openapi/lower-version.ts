// Converts the document to OpenAPI 3.0, for tools that cannot read 3.1.
import { rewritten } from './rewrite.ts'
import type { JsonSchema, OpenapiDocument } from './shapes.ts'

/** In 3.0 there are no webhooks: what is delivered to one is the schema Update, and docs/api.md says how it is signed. */
export function asOpenapi30(newer: OpenapiDocument): OpenapiDocument {
  const { webhooks: _, ...document } = newer
  const { info } = document
  const license = { name: info.license['name'] ?? '', url: 'https://www.apache.org/licenses/LICENSE-2.0' }
  return { ...rewritten(document, lowered), openapi: '3.0.3', info: { ...info, license } }
}

/** There a constant is a list of one. */
function lowered(node: JsonSchema): JsonSchema {
  const { const: constant, ...rest } = node
  return typeof constant === 'string' ? { ...rest, enum: [constant] } : node
}
