// The rules for fields of a form, where everything is text and an empty text means absent.
import { captionRange, contentLimits } from '@postern/protocol'
import { z } from 'zod'
import { buttonsInForm } from './button-rules.ts'
import { captionFits, entitiesInForm, formatInForm } from './entity-rules.ts'
import { characters, mentionsInForm, optional, optionalMessageId, silentInForm, wholeNumber } from './field-rules.ts'

const unlessEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === '' ? undefined : value), schema.optional())

export const fileKinds = ['photo', 'video', 'voice', 'file'] as const

const albumKinds = ['photo', 'video', 'file'] as const

const pixels = unlessEmpty(wholeNumber({ min: 1, max: contentLimits.pixelsPerSideMax })).describe(
  'In pixels; for video and voice.',
)

export const fileFields = z
  .object({
    caption: optional(characters(captionRange)).describe('The text under the file.'),
    reply_to: optionalMessageId,
    kind: unlessEmpty(z.enum(fileKinds, 'must be photo, video, voice or file')).describe(
      'By default detected from the bytes of the file. A photo is a JPEG, PNG or WebP file.',
    ),
    duration_ms: unlessEmpty(wholeNumber({ min: 0, max: contentLimits.durationMsMax })).describe(
      'For video and voice.',
    ),
    width: pixels,
    height: pixels,
    silent: silentInForm,
    format: formatInForm,
    entities: entitiesInForm,
    mentions: mentionsInForm,
    buttons: buttonsInForm,
  })
  .superRefine(captionFits)
export type FileFields = z.infer<typeof fileFields>

/** Without buttons, which would belong to one of the files. */
export const albumFields = z
  .object({
    caption: optional(characters(captionRange)).describe('The text under the album: the caption of its first file.'),
    reply_to: optionalMessageId,
    kind: unlessEmpty(z.enum(albumKinds, 'must be photo, video or file')).describe(
      'Of all files; by default detected from the bytes of each.',
    ),
    silent: silentInForm,
    format: formatInForm,
    entities: entitiesInForm,
    mentions: mentionsInForm,
  })
  .superRefine(captionFits)
export type AlbumFields = z.infer<typeof albumFields>
