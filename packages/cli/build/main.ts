// `npm run bundle`: the command and the web app, ready to be shipped in `dist`.
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { hashOfFolder } from '../src/app/print-hash.ts'
import { bundle } from './bundle.ts'

const directory = join(import.meta.dirname, '../../../dist')
const app = await builtApp()
await bundle(directory, { app })
// For the notes of a release: people compare it with the one that the app shows.
process.stdout.write(`${directory}\nhash of the app: ${(await hashOfFolder(app)).hash}\n`)
