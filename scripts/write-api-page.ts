// `npm run api-page`: writes docs/api.md from the table of endpoints.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPagePath, makeApiPage } from './documents/api-page.ts'

writeFileSync(join(import.meta.dirname, '..', apiPagePath), makeApiPage())
