// Which files a page plays: videos whose bytes fit into its memory.
import type { FileInfo } from '../contract/objects.ts'

const PLAYED_BYTES_MAX = 100_000_000

export const isPlayable = ({ size }: Pick<FileInfo, 'size'>): boolean => size <= PLAYED_BYTES_MAX
