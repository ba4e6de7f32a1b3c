// The types of @postern/sdk must match the table of endpoints.
import type { Check } from '../project.ts'
import { makeSdkTypes, sdkTypesPath } from './sdk-types.ts'

export const checkSdkTypes: Check = project =>
  project.paths.includes(sdkTypesPath) && project.read(sdkTypesPath) === makeSdkTypes()
    ? []
    : [`${sdkTypesPath}: it is stale; run npm run sdk-types.`]
