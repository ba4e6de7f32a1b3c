// The interface of a log, in pino's shape. Never log a key, a token, a name or a text.

export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

const nothing = () => {}
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
