// The rules for fields of a form, where everything is text and an empty text means absent.
import { captionRange, contentLimits } from '@postern/protocol'
import { z } from 'zod'
import { characters, optional, optionalMessageId, wholeNumber } from './field-rules.ts'

const unlessEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === '' ? undefined : value), schema.optional())

export const fileKinds = ['photo', 'video', 'voice', 'file'] as const

const pixels = unlessEmpty(wholeNumber({ min: 1, max: contentLimits.pixelsPerSideMax })).describe(
  'In pixels; for video and voice.',
)

export const fileFields = z.object({
  caption: optional(characters(captionRange)).describe('The text under the file.'),
  reply_to: optionalMessageId,
  kind: unlessEmpty(z.enum(fileKinds, 'must be photo, video, voice or file')).describe(
    'By default detected from the bytes of the file. A photo is a JPEG, PNG or WebP file.',
  ),
  duration_ms: unlessEmpty(wholeNumber({ min: 0, max: contentLimits.durationMsMax })).describe('For video and voice.'),
  width: pixels,
  height: pixels,
})
export type FileFields = z.infer<typeof fileFields>
