// docs/api.md must say what the table of endpoints says.

import { apiPagePath, makeApiPage } from './api-page.ts'
import type { Check } from './project.ts'

export const checkApiPage: Check = project =>
  project.paths.includes(apiPagePath) && project.read(apiPagePath) === makeApiPage()
    ? []
    : [`${apiPagePath}: it is stale; run node scripts/write-api-page.ts.`]
