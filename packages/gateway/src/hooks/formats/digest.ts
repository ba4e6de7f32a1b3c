// Digests that represent a text or a body in memory and on disk without revealing it.
import { hash } from 'node:crypto'

export const digest = (text: string | Uint8Array): string => hash('sha256', text, 'base64url')
