// docs/api.md must match the table of endpoints.
import type { Check } from '../project.ts'
import { apiPagePath, makeApiPage } from './api-page.ts'

export const checkApiPage: Check = project =>
  project.paths.includes(apiPagePath) && project.read(apiPagePath) === makeApiPage()
    ? []
    : [`${apiPagePath}: it is stale; run npm run api-page.`]
