// `npm run bundle`: the command and the web app, ready to be shipped in `dist`.
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { bundle } from './bundle.ts'

const directory = join(import.meta.dirname, '../../../dist')
await bundle(directory, { app: await builtApp() })
process.stdout.write(`${directory}\n`)
