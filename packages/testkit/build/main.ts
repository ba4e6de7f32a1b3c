// `npm run testkit`: writes @postern/testkit into its folder `dist`, ready to be packed.
import { join } from 'node:path'
import { writePackage } from './write-package.ts'

const directory = join(import.meta.dirname, '../dist')
await writePackage(directory)
process.stdout.write(`${directory}\n`)
