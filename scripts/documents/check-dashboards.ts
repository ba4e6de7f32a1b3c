// The dashboards that are shipped must be those of the table.
import { grafanaJson } from '../monitoring/dashboard.ts'
import { dashboards } from '../monitoring/dashboards.ts'
import type { Check } from '../project.ts'

export const checkDashboards: Check = project =>
  Object.entries(dashboards).flatMap(([path, dashboard]) =>
    project.paths.includes(path) && project.read(path) === grafanaJson(dashboard)
      ? []
      : [`${path}: it is stale; run npm run dashboards.`],
  )
