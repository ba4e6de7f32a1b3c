// What the doctor asks of the machine it runs on.
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs'
import nodeModule from 'node:module'
import { dirname, resolve } from 'node:path'

export type Disk = {
  /** The kind of its file system, as the system numbers them. */
  type: number
  freeBytes: number
  totalBytes: number
  /** How many files can still be made; undefined where they are not counted. */
  freeFiles: number | undefined
}

export type Machine = {
  /** Undefined on systems without numbers for users. */
  uid: number | undefined
  nodeVersion: string
  /** Where compiled code is kept; undefined where it is not, or of no use. */
  codeCache: string | undefined
  readDisk(path: string): Disk
}

export const thisMachine = (): Machine => ({
  uid: process.getuid?.(),
  nodeVersion: process.versions.node,
  codeCache: usableCache(nodeModule.getCompileCacheDir()),
  readDisk,
})

function readDisk(path: string): Disk {
  const { type, bavail, blocks, bsize, files, ffree } = statfsSync(path)
  return {
    type,
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    freeFiles: files === 0 ? undefined : ffree,
  }
}

/** One that is empty is of use only where it can be written to: by the first process that ends. */
function usableCache(directory: string | undefined): string | undefined {
  if (directory === undefined) return undefined
  try {
    if (readdirSync(directory).length === 0) accessSync(directory, constants.W_OK)
    return directory
  } catch {
    return undefined
  }
}

/** The path itself, or what of it is there. */
export function nearestExisting(path: string): string {
  const whole = resolve(path)
  return existsSync(whole) || dirname(whole) === whole ? whole : nearestExisting(dirname(whole))
}
