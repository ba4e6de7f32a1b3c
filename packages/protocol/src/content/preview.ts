// Previews of messages for notifications: few and small files, because a service worker loads them, too.
export { type FindPreviewKey, openPreview } from './open-preview-browser.ts'
export {
  encodePreview,
  type IncomingPush,
  isPreviewOf,
  type MessagePreview,
  notifiedWords,
  PREVIEW_LABEL,
  previewContext,
  previewPlaintext,
  readPush,
} from './preview-format.ts'
