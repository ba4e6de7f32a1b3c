// Files that people send: their types, and small versions of large pictures.
export { makeAvatar, makeGroupPicture } from './make-avatar.ts'
export { type ShownFile, showFile } from './show-file.ts'
