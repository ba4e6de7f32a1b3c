// The checks for a gateway, one row each.
import { webhookStatus } from '@postern/bot-api/objects'
import { accountFiles } from '@postern/core/node'
import type { GatewaySettings, GatewayStatus } from '@postern/gateway'
import { type Clock, type Env, parseListenAddress } from '@postern/protocol'
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
import { checkMcp } from './check-mcp.ts'
import { checkPort } from './check-port.ts'
import { checkLibrary, checkProgram } from './check-program.ts'
import { checkRelay } from './check-relay.ts'
import { checkSettings, isFirstStart, type ReadSettings, settingsIn } from './check-settings.ts'
import { checkWebhook } from './check-webhook.ts'
import type { DoctorSettings } from './doctor-settings.ts'
import type { Machine } from './machine.ts'
import type { Check } from './run-checks.ts'
import { checkAuthorities } from './trust-authorities.ts'

export type DoctorContext = { clock: Clock; machine: Machine }

type GatewayCase = DoctorContext &
  ReadSettings & {
    env: Env
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
  return { clock, machine, env, ...read, directory, running, status, relayUrl, isDeep, sendsTest }
}

const files = [accountFiles.database, accountFiles.key, `${accountFiles.database}-wal`, CONTROL_NAME, BACKUP_NOTE_NAME]

/** In the order of the report. Without settings, checks run as far as they need none. */
export const gatewayChecks: readonly Check<GatewayCase>[] = [
  {
    subject: 'settings',
    look: looked => [
      ...checkSettings(looked, { ...looked, isRunning: looked.status !== undefined }),
      ...checkAuthorities(looked.env),
    ],
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
  { subject: 'port', look: looked => checkPort({ ...looked, setting: 'LISTEN', listen: looked.settings?.listen }) },
  {
    subject: 'relay',
    look: async ({ relayUrl, ...looked }) =>
      relayUrl === undefined ? [] : await checkRelay({ ...looked, relayUrl, newcomer: newcomerIn(looked) }),
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
  {
    subject: 'mcp',
    look: async ({ settings, status, clock }) =>
      settings?.mcp && status
        ? await checkMcp({ mcp: settings.mcp, botOwners: settings.botOwners, url: status.url, clock })
        : [],
  },
  { subject: 'database', look: checkDatabase, alone: true },
]

/** Undefined for a bot that has an account, and where that is unknown. */
function newcomerIn({ settings, status, directory }: Pick<GatewayCase, 'settings' | 'status' | 'directory'>) {
  const isNew = status ? !status.registered : isFirstStart(directory)
  return isNew && settings ? { hasInvite: settings.relayInvite !== undefined } : undefined
}

/** Port 0 is resolved by the running gateway alone. */
function listenOf({ listen }: GatewaySettings, status: GatewayStatus | undefined) {
  return (status && parseListenAddress(new URL(status.url).host)) ?? listen
}
