// What is looked at for a relay: a list that grows by a row.
import { type Clock, doctorLimits, isCoded } from '@postern/protocol'
import { CONTROL_NAME } from '@postern/protocol/control'
import { BACKUP_NOTE_NAME } from '@postern/protocol/node'
import { type RelayConfig, readConfig, relayFiles, type StatusAnswer, startableHosts } from '@postern/relay'
import { z } from 'zod'
import { UsageError } from '../usage-error.ts'
import { askStatus, lookAtProcess, type Running } from './ask-running.ts'
import { lookAtBackup } from './check-backup.ts'
import { lookAtDatabase } from './check-database.ts'
import { lookAtDirectory } from './check-directory.ts'
import { lookAtDisk } from './check-disk.ts'
import { lookAtProgram } from './check-program.ts'
import { lookAtPublicHost } from './check-public-host.ts'
import { lookAtMetrics, lookAtRegistration, lookAtRelaySettings } from './check-relay-settings.ts'
import { lookAtRoom } from './check-room.ts'
import { lookAtSharedDatabase, sharedBackup } from './check-shared-database.ts'
import type { DoctorSettings } from './doctor-settings.ts'
import { clauseOf } from './finding.ts'
import type { Around } from './gateway-doctor.ts'
import type { Machine } from './machine.ts'
import type { Check } from './run-checks.ts'

type RelayCase = {
  clock: Clock
  machine: Machine
  config: RelayConfig | undefined
  fault: string | undefined
  /** Those that were set. */
  hosts: readonly string[]
  directory: string | undefined
  running: Running<RelayStatus>
  status: RelayStatus | undefined
  isDeep: boolean
}

/** What of its answer is looked at. */
type RelayStatus = Pick<StatusAnswer, 'started' | 'registration' | 'takes' | 'blob_bytes'>

const relayStatus: z.ZodType<RelayStatus> = z.object({
  started: z.string(),
  registration: z.string(),
  takes: z.object({ messages: z.boolean(), blobs: z.boolean() }),
  blob_bytes: z.number(),
})

type Asked = Extract<DoctorSettings, { of: 'relay' }>

/** Throws `UsageError` for a command line that no relay knows. */
export async function relayCase(
  asked: Asked,
  { clock, machine, app }: Around & { app: string | undefined },
): Promise<RelayCase> {
  const read = configIn(asked, app)
  const directory = read.config?.dataDirectory ?? asked.env['POSTERN_RELAY_DATA']
  const running: Running<RelayStatus> = directory
    ? await askStatus({ directory, clock, schema: relayStatus })
    : { kind: 'nothing' }
  const status = running.kind === 'answers' ? running.status : undefined
  return { clock, machine, ...read, directory, running, status, isDeep: asked.isDeep }
}

function configIn({ argv, env }: Asked, app: string | undefined): Pick<RelayCase, 'config' | 'fault' | 'hosts'> {
  let config: RelayConfig | undefined
  try {
    config = readConfig(argv, env, app)
    return { config, hosts: startableHosts(config), fault: undefined }
  } catch (error) {
    // Without a field it is no setting that is wrong, but the line itself.
    if (isCoded(error) && error.details['field'] === undefined) throw new UsageError(clauseOf(error))
    return { config, hosts: [], fault: clauseOf(error) }
  }
}

const files = [relayFiles.database, `${relayFiles.database}-wal`, relayFiles.blobs, relayFiles.invites]
const named = [...files, CONTROL_NAME, BACKUP_NOTE_NAME]

/** In the order in which they are told. */
export const relayChecks: readonly Check<RelayCase>[] = [
  { subject: 'settings', look: ({ fault }) => lookAtRelaySettings(fault) },
  { subject: 'program', look: lookAtProgram },
  {
    subject: 'directory',
    look: within(at => lookAtDirectory({ ...at, setting: '--data', files: named, secrets: files })),
  },
  { subject: 'disk', look: within(lookAtDisk) },
  {
    subject: 'backup',
    look: within(at =>
      at.config?.database === undefined ? lookAtBackup({ ...at, database: relayFiles.database }) : sharedBackup(),
    ),
  },
  {
    subject: 'process',
    look: within(at => lookAtProcess({ ...at, what: 'relay', unseen: 'of its hosts nothing is known till then' })),
  },
  {
    subject: 'register',
    look: ({ config, status }) => (config ? lookAtRegistration(config, status?.registration) : []),
  },
  { subject: 'metrics', look: ({ config }) => (config ? lookAtMetrics(config) : []) },
  { subject: 'room', look: ({ config, ...looked }) => (config ? lookAtRoom({ ...looked, config }) : []) },
  {
    subject: 'host',
    look: async ({ hosts, status, clock }) => {
      const tried = status ? hosts.slice(0, doctorLimits.publicHostsTried) : []
      return (await Promise.all(tried.map(host => lookAtPublicHost(host, clock)))).flat()
    },
  },
  {
    subject: 'database',
    look: within(at => (at.config?.database === undefined ? lookAtDatabase(at) : lookAtSharedDatabase(at.config))),
    alone: true,
  },
]

type Placed = RelayCase & { directory: string }

/** Where no directory was named that is said of the settings. */
function within(look: (looked: Placed) => ReturnType<Check<RelayCase>['look']>): Check<RelayCase>['look'] {
  return looked => (looked.directory === undefined ? [] : look({ ...looked, directory: looked.directory }))
}
