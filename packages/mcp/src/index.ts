// The Model Context Protocol over the operations of a gateway.
export { type AnswerAgent, McpFace } from './face.ts'
export type { AgentForm, AgentInput, AgentOperation, McpContext, McpMetrics } from './mcp-context.ts'
export { ANSWER_READER, MCP_SHELF, RECENT_READER } from './stored-names.ts'
