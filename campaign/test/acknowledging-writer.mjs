// A writer for tests of power cuts: appends numbered lines and acknowledges each, with or without the necessary syncs.
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [directory, fault] = process.argv.slice(2)

function syncFolder(path) {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

const folder = join(directory, 'lines')
mkdirSync(folder)
const file = openSync(join(folder, 'lines.txt'), 'a')
if (fault !== 'name is not synced') syncFolder(folder)
if (fault !== 'folder is not synced') syncFolder(directory)

for (let line = 0; ; line++) {
  writeSync(file, `line ${line}\n`)
  if (fault !== 'bytes are not synced') fsyncSync(file)
  console.log(line)
  // One more line without an acknowledgement: it may stay or go.
  writeSync(file, `unheard ${line}\n`)
}
