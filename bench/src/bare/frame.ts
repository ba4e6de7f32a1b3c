// The messages of the bare parts over their sockets.

export type Frame =
  | { kind: 'hello'; name: string }
  | { kind: 'text'; id: number; to: string; from: string; text: string }
  | { kind: 'accepted'; id: number }

export const BOT = 'bot'
export type BareSettings = { port: number; name: string; ledger?: string }
