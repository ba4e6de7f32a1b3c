// Names in the database. Never rename them.

/** For questions. */
export const MCP_SHELF = 'mcp-asks'

/** Reads presses and replies. */
export const ANSWER_READER = 'mcp-answers'

/** Keeps the newest updates for `read_updates`, whatever the other readers have confirmed. */
export const RECENT_READER = 'mcp-recent'
