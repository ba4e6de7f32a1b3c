// Files as people send them: what they are, and small pictures of large ones.
export { makeAvatar } from './make-avatar.ts'
export { type ShownFile, showFile } from './show-file.ts'
