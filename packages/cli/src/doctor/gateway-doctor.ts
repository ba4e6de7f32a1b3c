// What is looked at for a gateway: a list that grows by a row.
import { webhookStatus } from '@postern/bot-api/objects'
import { accountFiles } from '@postern/core/node'
import type { GatewaySettings, GatewayStatus } from '@postern/gateway'
import { type Clock, parseListenAddress } from '@postern/protocol'
import { CONTROL_NAME } from '@postern/protocol/control'
import { BACKUP_NOTE_NAME } from '@postern/protocol/node'
import { z } from 'zod'
import { askStatus, lookAtProcess, type Running } from './ask-running.ts'
import { lookAtBackup } from './check-backup.ts'
import { lookAtDatabase } from './check-database.ts'
import { lookAtDirectory } from './check-directory.ts'
import { lookAtDisk } from './check-disk.ts'
import { lookAtFiles } from './check-files.ts'
import { lookAtHooks } from './check-hooks.ts'
import { lookAtLogin } from './check-login.ts'
import { lookAtLibrary, lookAtProgram } from './check-program.ts'
import { lookAtRelay } from './check-relay.ts'
import { lookAtSettings, type ReadSettings, settingsIn } from './check-settings.ts'
import { lookAtWebhook } from './check-webhook.ts'
import type { DoctorSettings } from './doctor-settings.ts'
import type { Machine } from './machine.ts'
import type { Check } from './run-checks.ts'

export type Around = { clock: Clock; machine: Machine }

type GatewayCase = Around &
  ReadSettings & {
    directory: string
    running: Running<GatewayStatus>
    /** Of the one that runs. */
    status: GatewayStatus | undefined
    /** The relay that is dialled, where it is known. */
    relayUrl: string | undefined
    isDeep: boolean
    sendsTest: boolean
  }

const gatewayStatus: z.ZodType<GatewayStatus> = z.object({
  version: z.string(),
  started: z.string(),
  url: z.string(),
  relay: z.url(),
  registered: z.boolean(),
  online: z.boolean(),
  refusal: z.string().nullable(),
  replaced: z.iso.datetime().nullable(),
  hooks: z.boolean(),
  webhook: webhookStatus,
})

const DEFAULT_DIRECTORY = '/data'

export async function gatewayCase(
  { env, isDeep, sendsTest }: Extract<DoctorSettings, { of: 'gateway' }>,
  { clock, machine }: Around,
): Promise<GatewayCase> {
  const directory = env['DATA_DIR'] || DEFAULT_DIRECTORY
  const read = settingsIn(env, directory)
  const running = await askStatus({ directory, clock, schema: gatewayStatus })
  const status = running.kind === 'answers' ? running.status : undefined
  const relayUrl = read.settings?.relayUrl ?? status?.relay
  return { clock, machine, ...read, directory, running, status, relayUrl, isDeep, sendsTest }
}

const files = [accountFiles.database, accountFiles.key, `${accountFiles.database}-wal`, CONTROL_NAME, BACKUP_NOTE_NAME]

/** In the order in which they are told. Those without settings are looked at as far as they need none. */
export const gatewayChecks: readonly Check<GatewayCase>[] = [
  {
    subject: 'settings',
    look: looked => lookAtSettings(looked, { ...looked, isRunning: looked.status !== undefined }),
  },
  { subject: 'program', look: lookAtProgram },
  { subject: 'library', look: lookAtLibrary },
  {
    subject: 'directory',
    look: looked => lookAtDirectory({ ...looked, setting: 'DATA_DIR', files, secrets: [accountFiles.key] }),
  },
  { subject: 'disk', look: lookAtDisk },
  { subject: 'backup', look: looked => lookAtBackup({ ...looked, database: accountFiles.database }) },
  {
    subject: 'process',
    look: looked =>
      lookAtProcess({
        ...looked,
        what: 'gateway',
        version: looked.status?.version,
        unseen: 'of login and files nothing is known till then',
      }),
  },
  {
    subject: 'relay',
    look: async ({ relayUrl, clock }) => (relayUrl === undefined ? [] : await lookAtRelay(relayUrl, clock)),
  },
  { subject: 'login', look: looked => (looked.status ? lookAtLogin({ ...looked, status: looked.status }) : []) },
  { subject: 'files', look: async looked => (looked.status?.online ? await lookAtFiles(looked) : []) },
  {
    subject: 'webhook',
    look: async ({ settings, ...looked }) =>
      settings?.webhook ? await lookAtWebhook({ ...looked, webhook: settings.webhook }) : [],
  },
  {
    subject: 'hooks',
    look: async ({ settings, status, clock }) =>
      settings?.hooksUrl === undefined
        ? []
        : await lookAtHooks({ hooksUrl: settings.hooksUrl, listen: listenOf(settings, status), clock }),
  },
  { subject: 'database', look: lookAtDatabase, alone: true },
]

/** Port 0 is known by the one that runs alone. */
function listenOf({ listen }: GatewaySettings, status: GatewayStatus | undefined) {
  return (status && parseListenAddress(new URL(status.url).host)) ?? listen
}
