// What the dashboards of deploy/monitoring show: one for gateways, and one for a relay, which others may run.
import type { Dashboard, Panel } from './dashboard.ts'

/** Of the chosen instances. */
const I = 'instance=~"$instance"'
const perSecond = (metric: string, matchers = I): string => `rate(${metric}{${matchers}}[$__rate_interval])`

const quantiles = (histogram: string): Panel['shows'] =>
  Object.fromEntries(
    [0.5, 0.9, 0.99].map(share => [
      `${share * 100} %`,
      `histogram_quantile(${share}, sum by (le) (${perSecond(`${histogram}_bucket`)}))`,
    ]),
  )

const processPanels: readonly Panel[] = [
  { title: 'Memory', unit: 'bytes', shows: { '{{instance}}': `process_resident_memory_bytes{${I}}` } },
  { title: 'Processor', unit: 'percentunit', shows: { '{{instance}}': perSecond('process_cpu_seconds_total') } },
  {
    title: 'Event loop, how late at most',
    description: 'Everybody waits for so long.',
    unit: 's',
    shows: { '{{instance}}': `nodejs_eventloop_lag_max_seconds{${I}}` },
  },
]

const versions: Panel = {
  title: 'Versions',
  kind: 'stat',
  shows: { '{{version}}': `count by (version) (postern_build_info{${I}})` },
}

const gateways: Dashboard = {
  uid: 'postern-gateways',
  title: 'Postern gateways',
  instancesOf: 'postern_relay_connected',
  rows: {
    Now: [
      {
        title: 'Bots with a relay',
        kind: 'stat',
        shows: { online: `sum(postern_relay_connected{${I}})`, all: `count(postern_relay_connected{${I}})` },
      },
      { title: 'Updates waiting', kind: 'stat', shows: { waiting: `sum(postern_updates_pending{${I}})` } },
      {
        title: 'The oldest update',
        description: 'After a day it is dropped.',
        kind: 'stat',
        unit: 's',
        shows: { oldest: `max(postern_updates_oldest_seconds{${I}})` },
      },
      {
        title: 'Updates dropped, a day',
        kind: 'stat',
        shows: { dropped: `sum(increase(postern_updates_dropped_total{${I}}[1d]))` },
      },
      versions,
    ],
    Sending: [
      {
        title: 'Requests that send',
        unit: 'ops',
        shows: { '{{outcome}}': `sum by (outcome) (${perSecond('postern_sends_total')})` },
      },
      {
        title: 'Until the relay had them',
        description: 'Texts, edits, polls and answers.',
        unit: 's',
        shows: quantiles('postern_send_seconds'),
      },
      {
        title: 'Share of sends that fail',
        unit: 'percentunit',
        shows: {
          '{{instance}}': `sum by (instance) (${perSecond('postern_sends_total', `outcome=~"failed|unavailable",${I}`)}) / sum by (instance) (${perSecond('postern_sends_total')})`,
        },
      },
    ],
    Updates: [
      { title: 'Updates waiting', shows: { '{{instance}}': `postern_updates_pending{${I}}` } },
      { title: 'The oldest update', unit: 's', shows: { '{{instance}}': `postern_updates_oldest_seconds{${I}}` } },
      {
        title: 'Webhook attempts',
        unit: 'ops',
        shows: { '{{outcome}}': `sum by (outcome) (${perSecond('postern_webhook_attempts_total')})` },
      },
      {
        title: 'Since the webhook last worked',
        description: 'It grows, too, while there is nothing to deliver.',
        unit: 's',
        shows: { '{{instance}}': `postern_webhook_since_success_seconds{${I}}` },
      },
    ],
    'Hooks and files': [
      {
        title: 'Posts to hooks',
        unit: 'ops',
        shows: { '{{outcome}}': `sum by (outcome) (${perSecond('postern_hook_posts_total')})` },
      },
      {
        title: 'File bytes',
        unit: 'Bps',
        shows: { '{{direction}}': `sum by (direction) (${perSecond('postern_file_bytes_total')})` },
      },
      {
        title: 'Files under way',
        shows: { in: `sum(postern_file_uploads{${I}})`, out: `sum(postern_file_downloads{${I}})` },
      },
    ],
    'Disk and keys': [
      {
        title: 'On the disk',
        unit: 'bytes',
        shows: {
          'database {{instance}}': `postern_database_bytes{${I}}`,
          'log {{instance}}': `postern_database_log_bytes{${I}}`,
          'files {{instance}}': `postern_file_cache_bytes{${I}}`,
        },
      },
      { title: 'Room on the disk', unit: 'bytes', shows: { '{{instance}}': `postern_disk_free_bytes{${I}}` } },
      {
        title: 'Key packages left',
        description: 'Filled up when fewer than 50 are left.',
        shows: { '{{instance}}': `postern_key_packages{${I}}` },
      },
    ],
    Process: processPanels,
  },
}

const relay: Dashboard = {
  uid: 'postern-relay',
  title: 'Postern relay',
  instancesOf: 'postern_relay_takes',
  rows: {
    Now: [
      {
        title: 'Takes what is new',
        description: '0: it has no room.',
        kind: 'stat',
        shows: { '{{what}}': `min by (what) (postern_relay_takes{${I}})` },
      },
      { title: 'Accounts', kind: 'stat', shows: { accounts: `sum(postern_relay_accounts{${I}})` } },
      { title: 'Connected', kind: 'stat', shows: { members: `sum(postern_relay_connections{state="member",${I}})` } },
      { title: 'Groups', kind: 'stat', shows: { groups: `sum(postern_relay_groups{${I}})` } },
      versions,
    ],
    Traffic: [
      {
        title: 'Messages',
        unit: 'ops',
        shows: { '{{outcome}}': `sum by (outcome) (${perSecond('postern_relay_messages_total')})` },
      },
      {
        title: 'Commits',
        description: 'People added or removed, keys renewed.',
        unit: 'ops',
        shows: { '{{outcome}}': `sum by (outcome) (${perSecond('postern_relay_commits_total')})` },
      },
      { title: 'Delivered', unit: 'ops', shows: { entries: `sum(${perSecond('postern_relay_delivered_total')})` } },
      {
        title: 'Files',
        unit: 'Bps',
        shows: { '{{direction}}': `sum by (direction) (${perSecond('postern_relay_blob_bytes_total')})` },
      },
    ],
    'The disk': [
      {
        title: 'Until a transaction was on it',
        unit: 's',
        shows: quantiles('postern_relay_transaction_seconds'),
      },
      {
        title: 'Writes and transactions',
        description: 'Many writes share a transaction.',
        unit: 'ops',
        shows: {
          writes: `sum(${perSecond('postern_relay_writes_total')})`,
          transactions: `sum(${perSecond('postern_relay_transaction_seconds_count')})`,
        },
      },
      {
        title: 'On the disk',
        unit: 'bytes',
        shows: {
          database: `sum(postern_relay_database_bytes{${I}})`,
          'of it in use': `sum(postern_relay_database_used_bytes{${I}})`,
          log: `sum(postern_relay_database_log_bytes{${I}})`,
          files: `sum(postern_relay_blob_bytes{${I}})`,
        },
      },
      { title: 'Room on the disk', unit: 'bytes', shows: { '{{instance}}': `postern_relay_disk_free_bytes{${I}}` } },
    ],
    People: [
      {
        title: 'Connections',
        shows: { '{{state}}': `sum by (state) (postern_relay_connections{${I}})` },
      },
      {
        title: 'Logins and new accounts',
        unit: 'ops',
        shows: {
          'logins {{outcome}}': `sum by (outcome) (${perSecond('postern_relay_logins_total')})`,
          registered: `sum(${perSecond('postern_relay_registrations_total')})`,
        },
      },
      {
        title: 'Refused, by code',
        unit: 'ops',
        shows: { '{{code}}': `sum by (code) (${perSecond('postern_relay_refusals_total')})` },
      },
      {
        title: 'Connections that a newer one has ended',
        description: 'When it keeps rising, two programs run on one account.',
        unit: 'ops',
        shows: { replaced: `sum(${perSecond('postern_relay_replaced_total')})` },
      },
    ],
    Upkeep: [
      {
        title: 'Accounts',
        shows: { all: `sum(postern_relay_accounts{${I}})`, banned: `sum(postern_relay_accounts_banned{${I}})` },
      },
      {
        title: 'Files',
        shows: { there: `sum(postern_relay_blobs{${I}})`, 'being uploaded': `sum(postern_relay_uploads{${I}})` },
      },
      {
        title: 'Removed when their time was over',
        unit: 'ops',
        shows: { rows: `sum(${perSecond('postern_relay_swept_total')})` },
      },
      {
        title: 'Lines of the log to look at',
        shows: { '{{level}}': `sum by (level) (increase(postern_relay_log_lines_total{${I}}[1h]))` },
      },
    ],
    Process: processPanels,
  },
}

/** By the file that each becomes. */
export const dashboards: Readonly<Record<string, Dashboard>> = {
  'deploy/monitoring/gateways-dashboard.json': gateways,
  'deploy/monitoring/relay-dashboard.json': relay,
}
