// Files as people send them: what they are, and small pictures of large ones.
export { makeAvatar } from './make-avatar.ts'
export { PhotoInPassing, type Shown, showFile } from './show-file.ts'
