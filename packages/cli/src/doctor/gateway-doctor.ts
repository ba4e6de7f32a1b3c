// The checks for a gateway, one row each.
import { webhookStatus } from '@postern/bot-api/objects'
import { accountFiles } from '@postern/core/node'
import type { GatewaySettings, GatewayStatus } from '@postern/gateway'
import { type Clock, parseListenAddress } from '@postern/protocol'
import { CONTROL_NAME } from '@postern/protocol/control'
import { BACKUP_NOTE_NAME } from '@postern/protocol/node'
import { z } from 'zod'
import { askStatus, checkProcess, type ProcessState } from './ask-running.ts'
import { checkBackup } from './check-backup.ts'
import { checkDatabase } from './check-database.ts'
import { checkDirectory } from './check-directory.ts'
import { checkDisk } from './check-disk.ts'
import { checkFiles } from './check-files.ts'
import { checkHooks } from './check-hooks.ts'
import { checkLogin } from './check-login.ts'
import { checkLibrary, checkProgram } from './check-program.ts'
import { checkRelay } from './check-relay.ts'
import { checkSettings, type ReadSettings, settingsIn } from './check-settings.ts'
import { checkWebhook } from './check-webhook.ts'
import type { DoctorSettings } from './doctor-settings.ts'
import type { Machine } from './machine.ts'
import type { Check } from './run-checks.ts'

export type DoctorContext = { clock: Clock; machine: Machine }

type GatewayCase = DoctorContext &
  ReadSettings & {
    directory: string
    running: ProcessState<GatewayStatus>
    /** The status of the running gateway. */
    status: GatewayStatus | undefined
    /** The relay that is dialled, if known. */
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
  { clock, machine }: DoctorContext,
): Promise<GatewayCase> {
  const directory = env['DATA_DIR'] || DEFAULT_DIRECTORY
  const read = settingsIn(env, directory)
  const running = await askStatus({ directory, clock, schema: gatewayStatus })
  const status = running.kind === 'answers' ? running.status : undefined
  const relayUrl = read.settings?.relayUrl ?? status?.relay
  return { clock, machine, ...read, directory, running, status, relayUrl, isDeep, sendsTest }
}

const files = [accountFiles.database, accountFiles.key, `${accountFiles.database}-wal`, CONTROL_NAME, BACKUP_NOTE_NAME]

/** In the order of the report. Without settings, checks run as far as they need none. */
export const gatewayChecks: readonly Check<GatewayCase>[] = [
  {
    subject: 'settings',
    look: looked => checkSettings(looked, { ...looked, isRunning: looked.status !== undefined }),
  },
  { subject: 'program', look: checkProgram },
  { subject: 'library', look: checkLibrary },
  {
    subject: 'directory',
    look: looked => checkDirectory({ ...looked, setting: 'DATA_DIR', files, secrets: [accountFiles.key] }),
  },
  { subject: 'disk', look: checkDisk },
  { subject: 'backup', look: looked => checkBackup({ ...looked, database: accountFiles.database }) },
  {
    subject: 'process',
    look: looked =>
      checkProcess({
        ...looked,
        what: 'gateway',
        version: looked.status?.version,
        unseen: 'login and files are not checked until then',
      }),
  },
  {
    subject: 'relay',
    look: async ({ relayUrl, clock }) => (relayUrl === undefined ? [] : await checkRelay(relayUrl, clock)),
  },
  { subject: 'login', look: looked => (looked.status ? checkLogin({ ...looked, status: looked.status }) : []) },
  { subject: 'files', look: async looked => (looked.status?.online ? await checkFiles(looked) : []) },
  {
    subject: 'webhook',
    look: async ({ settings, ...looked }) =>
      settings?.webhook ? await checkWebhook({ ...looked, webhook: settings.webhook }) : [],
  },
  {
    subject: 'hooks',
    look: async ({ settings, status, clock }) =>
      settings?.hooksUrl === undefined
        ? []
        : await checkHooks({ hooksUrl: settings.hooksUrl, listen: listenOf(settings, status), clock }),
  },
  { subject: 'database', look: checkDatabase, alone: true },
]

/** Port 0 is resolved by the running gateway alone. */
function listenOf({ listen }: GatewaySettings, status: GatewayStatus | undefined) {
  return (status && parseListenAddress(new URL(status.url).host)) ?? listen
}
