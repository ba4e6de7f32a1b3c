// Types of the parts of an OpenAPI document that we use.

export type JsonSchema = Record<string, unknown>

export type OpenapiMediaType = { schema: JsonSchema; examples?: Record<string, { value: unknown }> }
export type OpenapiContent = Record<string, OpenapiMediaType>

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

export type OpenapiHeader = { description: string; schema: JsonSchema }
export type OpenapiResponse =
  | { description: string; headers?: Record<string, OpenapiHeader>; content?: OpenapiContent }
  | { $ref: string }

export type OpenapiOperation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security?: []
  parameters?: Parameter[]
  requestBody?: { required: boolean; description?: string; content: OpenapiContent }
  responses: Record<string, OpenapiResponse>
}

export type OpenapiDocument = {
  openapi: '3.1.1' | '3.0.3'
  info: { title: string; version: string; description: string; license: Record<string, string> }
  paths: Record<string, Record<string, OpenapiOperation>>
  /** Requests that the gateway itself sends. OpenAPI 3.0 cannot describe them. */
  webhooks?: { update: { post: OpenapiOperation } }
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, OpenapiResponse> } & Record<
    string,
    unknown
  >
} & Record<string, unknown>
