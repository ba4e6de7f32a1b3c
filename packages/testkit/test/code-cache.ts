// Before the first import of a test file: what Node has compiled once it finds again, in the cache of the `postern` command.
import nodeModule from 'node:module'
import { join } from 'node:path'

nodeModule.enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/postern'))
