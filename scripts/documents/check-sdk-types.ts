// The types of both SDKs must match the table of endpoints.
import type { Check } from '../project.ts'
import { makePythonObjects, pythonObjectsPath } from './python-objects.ts'
import { makeSdkTypes, sdkTypesPath } from './sdk-types.ts'

const made = { [sdkTypesPath]: makeSdkTypes, [pythonObjectsPath]: makePythonObjects }

export const checkSdkTypes: Check = project =>
  Object.entries(made).flatMap(([path, make]) =>
    project.paths.includes(path) && project.read(path) === make()
      ? []
      : [`${path}: it is stale; run npm run sdk-types.`],
  )
