// `npm run sdk-types`: writes the types of @postern/sdk from the table of endpoints.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSdkTypes, sdkTypesPath } from './documents/sdk-types.ts'

writeFileSync(join(import.meta.dirname, '..', sdkTypesPath), makeSdkTypes())
