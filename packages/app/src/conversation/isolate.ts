// A person's name within a sentence of ours: whatever it contains, the words around it keep their order.
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'
/** Embeddings, overrides and isolates: an open one would reverse the rest of the sentence. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

export const isolated = (name: string): string => `${FIRST_STRONG_ISOLATE}${name.replace(turning, '')}${POP_ISOLATE}`
