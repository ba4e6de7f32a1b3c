// The messages between a benchmark and its processes.

export type Question = { id: number; what: string; argument: unknown }
export type Answer = { kind: 'done'; id: number; value: unknown } | { kind: 'failed'; id: number; error: string }
export type Ready = { kind: 'ready'; state: unknown }

/** The usage of a process since its start. */
export type Usage = { cpuMs: number; rssMib: number }
