// Links the Node that `npm ci` has brought along, where npm did not: two packages offer a `node`, one for each processor, and
// npm before 11 then links neither. It must run on whatever Node is installed.
import { existsSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const bundled = join(modules, `node-${process.platform}-${process.arch}`, 'bin/node')
const link = join(modules, '.bin/node')

if (existsSync(bundled) && !existsSync(link)) symlinkSync(relative(dirname(link), bundled), link)
