// The data directory: it exists, belongs to its user, is writable, and is closed to others.
import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemCodeOf } from '@postern/protocol'
import { type Diagnosis, fail, ok, warn } from './finding.ts'
import { type Machine, nearestExisting } from './machine.ts'

export type DirectoryCase = {
  directory: string
  /** The name of the setting. */
  setting: string
  /** All of its files with known names. */
  files: readonly string[]
  /** Those of them that nobody else may read. */
  secrets: readonly string[]
  machine: Machine
}

const ROOT = 0
const [OTHERS, OTHERS_WRITE, GROUP, SET_GROUP] = [0o007, 0o002, 0o070, 0o2000]

export function checkDirectory(looked: DirectoryCase): Diagnosis[] {
  const { directory } = looked
  let found: Stats | undefined
  try {
    found = statSync(directory, { throwIfNoEntry: false })
  } catch (error) {
    return [fail('directory', unreadable(looked, error))]
  }
  if (!found) return [notThere(looked)]
  if (!found.isDirectory())
    return [
      fail('directory', {
        text: `${directory} is not a directory`,
        todo: `set ${looked.setting} to another directory`,
      }),
    ]
  // Another user mostly may not write there either: that is not a second fault.
  const usable = ownerFault(looked, found) ?? writeFault(looked)
  const known = [usable, ...modeFaults(looked, found)].filter(fault => fault !== undefined)
  return known.length > 0 ? known : [ok('directory', `only user ${found.uid} has access to ${directory}`)]
}

const unreadable = ({ directory }: DirectoryCase, error: unknown) => ({
  text: `${directory} cannot be checked (${systemCodeOf(error)})`,
  todo: 'run the doctor as the user that runs Postern, or as root',
})

function notThere({ directory, setting }: DirectoryCase): Diagnosis {
  const above = nearestExisting(directory)
  const why = unmakeable(above)
  if (why !== undefined) {
    const text = `${directory} does not exist and cannot be created in ${above} (${why})`
    return fail('directory', { text, todo: `create it, or set ${setting} to another directory` })
  }
  const todo = 'the first start creates it. If it existed before, check that its volume is mounted'
  return warn('directory', { text: `${directory} does not exist`, todo })
}

function unmakeable(above: string): string | undefined {
  if (!statSync(above).isDirectory()) return 'ENOTDIR'
  try {
    accessSync(above, constants.W_OK)
    return undefined
  } catch (error) {
    return systemCodeOf(error)
  }
}

function ownerFault({ directory, files, machine: { uid } }: DirectoryCase, found: Stats): Diagnosis | undefined {
  if (uid !== undefined && uid !== ROOT && uid !== found.uid) {
    const text = `${directory} belongs to user ${found.uid}, but the doctor runs as user ${uid}`
    return fail('directory', {
      text,
      todo: `run Postern and the doctor as its owner, or: chown -R ${uid} ${directory}`,
    })
  }
  for (const name of files) {
    const owner = statOf(directory, name)?.uid ?? found.uid
    if (owner === found.uid) continue
    const text = `${name} in ${directory} belongs to user ${owner}, but the directory to user ${found.uid}`
    return fail('directory', { text, todo: `chown -R ${found.uid} ${directory}` })
  }
  return undefined
}

function writeFault({ directory }: DirectoryCase): Diagnosis | undefined {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const text = `${directory} is not writable (${systemCodeOf(error)})`
    return fail('directory', { text, todo: 'mount it read-write, and let its owner write: chmod 0700' })
  }
}

function modeFaults({ directory, secrets }: DirectoryCase, found: Stats): Diagnosis[] {
  const open = secrets.filter(name => ((statOf(directory, name)?.mode ?? 0) & OTHERS) !== 0)
  if (open.length > 0) {
    const todo = `chmod go= ${open.map(name => join(directory, name)).join(' ')}`
    return [fail('directory', { text: `every user of this machine can read ${open.join(' and ')}`, todo })]
  }
  const todo = `chmod 0700 ${directory}`
  if ((found.mode & OTHERS_WRITE) !== 0)
    return [fail('directory', { text: `every user of this machine can write to ${directory}`, todo })]
  if ((found.mode & OTHERS) !== 0)
    return [warn('directory', { text: `every user of this machine can list ${directory}`, todo })]
  // A group that was set on purpose, as for volumes of Kubernetes, is the group of the process.
  if ((found.mode & GROUP) !== 0 && (found.mode & SET_GROUP) === 0)
    return [warn('directory', { text: `group ${found.gid} can list ${directory}`, todo })]
  return []
}

function statOf(directory: string, name: string): Stats | undefined {
  try {
    return lstatSync(join(directory, name), { throwIfNoEntry: false })
  } catch {
    // The directory may not be read: that is reported for the directory.
    return undefined
  }
}
