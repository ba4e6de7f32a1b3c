// Finds a program of this machine: the one that a variable names, or the first of several names in the path.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Throws for a variable that names no program: a typing error must not choose another one silently. */
export function findProgram(names: readonly string[], variable: string): string | undefined {
  const named = process.env[variable]
  if (named !== undefined && !isProgram(named)) throw new Error(`${variable} names no program: ${named}`)
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return named ?? names.flatMap(name => folders.map(folder => join(folder, name))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
