// The checks for a relay, one row each.
import { type Clock, doctorLimits, type Env, isCoded } from '@postern/protocol'
import { CONTROL_NAME } from '@postern/protocol/control'
import { BACKUP_NOTE_NAME } from '@postern/protocol/node'
import { type RelayConfig, readConfig, relayFiles, type StatusAnswer, startableHosts } from '@postern/relay'
import { z } from 'zod'
import { UsageError } from '../usage-error.ts'
import { askStatus, checkProcess, type ProcessState } from './ask-running.ts'
import { checkBackup } from './check-backup.ts'
import { checkDatabase } from './check-database.ts'
import { checkDirectory } from './check-directory.ts'
import { checkDisk } from './check-disk.ts'
import { checkPort } from './check-port.ts'
import { checkProgram } from './check-program.ts'
import { checkPublicHost } from './check-public-host.ts'
import { checkPush } from './check-push.ts'
import { checkMetrics, checkRegistration, checkRelaySettings } from './check-relay-settings.ts'
import { checkRoom } from './check-room.ts'
import { checkSharedDatabase, sharedBackup } from './check-shared-database.ts'
import type { DoctorSettings } from './doctor-settings.ts'
import { clauseOf } from './finding.ts'
import type { DoctorContext } from './gateway-doctor.ts'
import type { Machine } from './machine.ts'
import type { Check } from './run-checks.ts'
import { checkAuthorities } from './trust-authorities.ts'

type RelayCase = {
  env: Env
  clock: Clock
  machine: Machine
  config: RelayConfig | undefined
  fault: string | undefined
  /** Those that were set. */
  hosts: readonly string[]
  directory: string | undefined
  running: ProcessState<RelayStatus>
  status: RelayStatus | undefined
  isDeep: boolean
}

/** The fields of its answer that are used. */
type RelayStatus = Pick<StatusAnswer, 'started' | 'registration' | 'takes' | 'blob_bytes'> & {
  push?: StatusAnswer['push'] | undefined
}

const relayStatus: z.ZodType<RelayStatus> = z.object({
  started: z.string(),
  registration: z.string(),
  takes: z.object({ messages: z.boolean(), blobs: z.boolean() }),
  blob_bytes: z.number(),
  // A relay of the version before has none.
  push: z.enum(['on', 'off', 'unreachable']).optional(),
})

type Asked = Extract<DoctorSettings, { of: 'relay' }>

/** Throws `UsageError` for an invalid relay command line. */
export async function relayCase(
  asked: Asked,
  { clock, machine, app }: DoctorContext & { app: string | undefined },
): Promise<RelayCase> {
  const read = configIn(asked, app)
  const directory = read.config?.dataDirectory ?? asked.env['POSTERN_RELAY_DATA']
  const running: ProcessState<RelayStatus> = directory
    ? await askStatus({ directory, clock, schema: relayStatus })
    : { kind: 'nothing' }
  const status = running.kind === 'answers' ? running.status : undefined
  return { clock, machine, env: asked.env, ...read, directory, running, status, isDeep: asked.isDeep }
}

function configIn({ argv, env }: Asked, app: string | undefined): Pick<RelayCase, 'config' | 'fault' | 'hosts'> {
  let config: RelayConfig | undefined
  try {
    config = readConfig(argv, env, app)
    return { config, hosts: startableHosts(config), fault: undefined }
  } catch (error) {
    // Without a field, the command line itself is wrong and not a setting.
    if (isCoded(error) && error.details['field'] === undefined) throw new UsageError(clauseOf(error))
    return { config, hosts: [], fault: clauseOf(error) }
  }
}

const files = [relayFiles.database, `${relayFiles.database}-wal`, relayFiles.blobs, relayFiles.invites]
const named = [...files, CONTROL_NAME, BACKUP_NOTE_NAME]

/** In the order of the report. */
export const relayChecks: readonly Check<RelayCase>[] = [
  { subject: 'settings', look: ({ fault, env }) => [...checkRelaySettings(fault), ...checkAuthorities(env)] },
  { subject: 'program', look: checkProgram },
  {
    subject: 'directory',
    look: within(at => checkDirectory({ ...at, setting: '--data', files: named, secrets: files })),
  },
  { subject: 'disk', look: within(checkDisk) },
  {
    subject: 'backup',
    look: within(at =>
      at.config?.database === undefined ? checkBackup({ ...at, database: relayFiles.database }) : sharedBackup(),
    ),
  },
  {
    subject: 'process',
    look: within(at => checkProcess({ ...at, what: 'relay', unseen: 'its hosts are not checked until then' })),
  },
  {
    subject: 'port',
    look: async ({ running, config }) => [
      ...(await checkPort({ running, setting: '--listen', listen: config?.listen })),
      ...(await checkPort({ running, setting: '--metrics', listen: config?.metrics })),
    ],
  },
  {
    subject: 'register',
    look: ({ config, status }) => (config ? checkRegistration(config, status?.registration) : []),
  },
  { subject: 'metrics', look: ({ config }) => (config ? checkMetrics(config) : []) },
  { subject: 'push', look: ({ config, status }) => (config ? checkPush(config, status?.push) : []) },
  { subject: 'room', look: ({ config, ...looked }) => (config ? checkRoom({ ...looked, config }) : []) },
  {
    subject: 'host',
    look: async ({ hosts, status, clock }) => {
      const tried = status ? hosts.slice(0, doctorLimits.publicHostsTried) : []
      return (await Promise.all(tried.map(host => checkPublicHost(host, clock)))).flat()
    },
  },
  {
    subject: 'database',
    look: within(at => (at.config?.database === undefined ? checkDatabase(at) : checkSharedDatabase(at.config))),
    alone: true,
  },
]

type Placed = RelayCase & { directory: string }

/** A missing directory is reported with the settings. */
function within(look: (looked: Placed) => ReturnType<Check<RelayCase>['look']>): Check<RelayCase>['look'] {
  return looked => (looked.directory === undefined ? [] : look({ ...looked, directory: looked.directory }))
}
