// `npm run sdk-types`: writes the types of both SDKs from the table of endpoints.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePythonObjects, pythonObjectsPath } from './documents/python-objects.ts'
import { makeSdkTypes, sdkTypesPath } from './documents/sdk-types.ts'

const root = join(import.meta.dirname, '..')
writeFileSync(join(root, sdkTypesPath), makeSdkTypes())
writeFileSync(join(root, pythonObjectsPath), makePythonObjects())
