// What a benchmark and its processes say to each other.

export type Question = { id: number; what: string; argument: unknown }
export type Answer = { kind: 'done'; id: number; value: unknown } | { kind: 'failed'; id: number; error: string }
export type Ready = { kind: 'ready'; state: unknown }

/** Of a process since its start. */
export type Usage = { cpuMs: number; rssMib: number }
