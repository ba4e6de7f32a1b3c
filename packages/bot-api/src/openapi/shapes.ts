// The parts of an OpenAPI document, as far as ours has them.

export type JsonSchema = Record<string, unknown>

export type MediaType = { schema: JsonSchema; examples?: Record<string, { value: unknown }> }
export type Content = Record<string, MediaType>

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

export type Header = { description: string; schema: JsonSchema }
export type Answer = { description: string; headers?: Record<string, Header>; content?: Content } | { $ref: string }

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security?: []
  parameters?: Parameter[]
  requestBody?: { required: boolean; description?: string; content: Content }
  responses: Record<string, Answer>
}

export type OpenapiDocument = {
  openapi: '3.1.1' | '3.0.3'
  info: { title: string; version: string; description: string; license: Record<string, string> }
  paths: Record<string, Record<string, Operation>>
  /** What the gateway sends by itself. OpenAPI 3.0 has no place for it. */
  webhooks?: { update: { post: Operation } }
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Answer> } & Record<string, unknown>
} & Record<string, unknown>
