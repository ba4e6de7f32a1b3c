// The entries of a backup besides the files: its kind and origin, and at its end the totals.
import { z } from 'zod'

export const MANIFEST_PATH = 'manifest.json'
export const END_PATH = 'end.json'
/** Lists of checksums, as `sha256sum --check` reads them: one after every `filesPerList` files, and one after the last. */
export const sumsPath = (number: number): string => `SHA256SUMS-${String(number).padStart(6, '0')}`

const FORMAT = 'postern-backup'
const FORMAT_VERSION = 1

/** Read before anything else, also from future formats. */
const anyManifest = z.object({ format: z.literal(FORMAT), format_version: z.int().min(1) })

const manifest = z.object({
  format: z.literal(FORMAT),
  format_version: z.literal(FORMAT_VERSION),
  kind: z.enum(['gateway', 'relay']),
  /** The version of the program that made it. */
  version: z.string().max(100),
  made_at: z.iso.datetime(),
  /** The version of the database's tables. */
  schema: z.int().min(0),
  /** The owner of the directory: for a gateway the bot's account, for a relay the id that its database had. */
  identity: z.string().max(200),
})
export type Manifest = z.infer<typeof manifest>
export type BackupKind = Manifest['kind']

const end = z.object({ files: z.int().min(0), bytes: z.int().min(0) })
export type ArchiveEnd = z.infer<typeof end>

export const manifestText = (facts: Omit<Manifest, 'format' | 'format_version'>): string =>
  jsonText({ format: FORMAT, format_version: FORMAT_VERSION, ...facts })

export const endText = (facts: ArchiveEnd): string => jsonText(facts)

const jsonText = (facts: object): string => `${JSON.stringify(facts, undefined, 2)}\n`

/** `newer`: made by a newer program than this one. */
export function readManifest(text: string): Manifest | 'newer' | undefined {
  const given = parsed(text)
  const { data: found } = anyManifest.safeParse(given)
  if (!found) return undefined
  return found.format_version > FORMAT_VERSION ? 'newer' : manifest.safeParse(given).data
}

export const readEnd = (text: string): ArchiveEnd | undefined => end.safeParse(parsed(text)).data

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
