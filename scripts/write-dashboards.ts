// `npm run dashboards`: writes the dashboards of deploy/monitoring from the table of what they show.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { grafanaJson } from './monitoring/dashboard.ts'
import { dashboards } from './monitoring/dashboards.ts'

for (const [path, dashboard] of Object.entries(dashboards))
  writeFileSync(join(import.meta.dirname, '..', path), grafanaJson(dashboard))
