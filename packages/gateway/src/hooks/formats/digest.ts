// What stands for a text or a body in memory and on disk: of one length, and not to be read.
import { hash } from 'node:crypto'

export const digest = (text: string | Uint8Array): string => hash('sha256', text, 'base64url')
