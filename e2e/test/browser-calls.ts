// The values that a test and the worker of a person in a browser pass to each other.

/** Bytes as text: a page accepts no others. */
export type BrowserBackup = { database: string; key: string }
export type BrowserOpening = { directory: string; relayUrl: string; name: string; restored?: BrowserBackup }
export type RefusedFiles = { after: number; count: number; error: string }
