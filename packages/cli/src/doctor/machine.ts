// The facts about the machine that the doctor needs.
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs'
import nodeModule from 'node:module'
import { dirname, resolve } from 'node:path'

export type Disk = {
  /** The type of its file system, by the system's number. */
  type: number
  freeBytes: number
  totalBytes: number
  /** How many files can still be created; undefined if they are not counted. */
  freeFiles: number | undefined
}

export type Machine = {
  /** Undefined on systems without user ids. */
  uid: number | undefined
  nodeVersion: string
  /** The folder of compiled code; undefined if there is none, or it is useless. */
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

/** An empty one is useful only if it can be written to, by the first process that ends. */
function usableCache(directory: string | undefined): string | undefined {
  if (directory === undefined) return undefined
  try {
    if (readdirSync(directory).length === 0) accessSync(directory, constants.W_OK)
    return directory
  } catch {
    return undefined
  }
}

/** The path itself, or its nearest existing parent. */
export function nearestExisting(path: string): string {
  const whole = resolve(path)
  return existsSync(whole) || dirname(whole) === whole ? whole : nearestExisting(dirname(whole))
}
