// `npm run bench`: measures Postern against ceilings and peers in the same run. `npm run bench -- crypto echo` runs
// only these, and `npm run bench -- --beside <directory>` compares with another checkout.
import { parseArgs } from 'node:util'
import { measureApp } from './app/app.ts'
import { measureFirstField } from './app/first-field.ts'
import { measureAppends } from './appends/appends.ts'
import { measureBackup } from './backup/backup.ts'
import { measureBeside } from './beside/beside.ts'
import { measureBlobs } from './blobs/blobs.ts'
import { measureChats } from './chats/chats.ts'
import { measureConnections } from './connections/connections.ts'
import { measureCrypto } from './crypto/crypto.ts'
import { measureEcho } from './echo/echo.ts'
import { measureFiles } from './files/files.ts'
import { goalsWithoutRow, withGoals } from './goals.ts'
import { measureGroup200 } from './group200/group200.ts'
import { measureGroup1000 } from './group1000/group1000.ts'
import { measureHistory } from './history/history.ts'
import { measureHookFormats } from './hooks/hook-formats.ts'
import { measureHooks } from './hooks/hooks.ts'
import { measureLiving } from './living/living.ts'
import { measureMcp } from './mcp/mcp.ts'
import { measureFailover } from './postgres/failover.ts'
import {
  measurePostgres,
  measurePostgresGrowth,
  measurePostgresLogins,
  measurePostgresRelays,
} from './postgres/postgres.ts'
import { measureSnapshot } from './postgres/snapshot.ts'
import { measureWal } from './postgres/wal.ts'
import { measurePresses } from './presses/presses.ts'
import { measureNotification } from './push/notification.ts'
import { measurePush } from './push/push.ts'
import { measureRenewal } from './renewal/renewal.ts'
import { measureSdk } from './sdk/sdk.ts'
import { measureSends } from './sends/sends.ts'
import { measureStreams } from './streams/streams.ts'
import { printTable, type Row } from './table.ts'
import { measureTelegram } from './telegram/telegram.ts'
import { measureUpdates } from './updates/updates.ts'
import { measureVotes } from './votes/votes.ts'
import { measureWebhook } from './webhook/webhook.ts'

const benchmarks: Readonly<Record<string, () => Promise<Row[]>>> = {
  crypto: measureCrypto,
  renewal: measureRenewal,
  appends: measureAppends,
  connections: measureConnections,
  sends: measureSends,
  echo: measureEcho,
  sdk: measureSdk,
  updates: measureUpdates,
  streams: measureStreams,
  webhook: measureWebhook,
  hooks: measureHooks,
  'hook-formats': measureHookFormats,
  living: measureLiving,
  history: measureHistory,
  chats: measureChats,
  group200: measureGroup200,
  group1000: measureGroup1000,
  votes: measureVotes,
  push: measurePush,
  notification: measureNotification,
  presses: measurePresses,
  mcp: measureMcp,
  telegram: measureTelegram,
  files: measureFiles,
  blobs: measureBlobs,
  backup: measureBackup,
  postgres: measurePostgres,
  'postgres-logins': measurePostgresLogins,
  'postgres-growth': measurePostgresGrowth,
  'postgres-relays': measurePostgresRelays,
  'postgres-failover': measureFailover,
  'postgres-snapshot': measureSnapshot,
  'postgres-wal': measureWal,
  app: measureApp,
  open: measureFirstField,
}

async function run(names: readonly string[]): Promise<void> {
  const rows: Row[] = []
  for (const name of names) {
    process.stderr.write(`${name} …\n`)
    try {
      rows.push(...((await benchmarks[name]?.()) ?? []))
    } catch (error) {
      // The others took minutes, and their figures do not depend on this one.
      console.error(`${name} failed:`, error)
      process.exitCode = 1
    }
  }
  printTable(withGoals(rows))
  const isWhole = names.length === Object.keys(benchmarks).length
  for (const what of isWhole ? goalsWithoutRow(rows) : []) console.error(`no row is called "${what}", which has a goal`)
}

const { values, positionals: asked } = parseArgs({ options: { beside: { type: 'string' } }, allowPositionals: true })
const unknown = asked.filter(name => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown.join('", "')}"; there are: ${Object.keys(benchmarks).join(', ')}.`)
  process.exitCode = 2
} else if (values.beside !== undefined) printTable(await measureBeside(values.beside))
else await run(asked.length > 0 ? asked : Object.keys(benchmarks))
