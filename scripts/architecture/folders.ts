// The order of the folders: a row may import only from rows before it. Each row is the rule, not a description of the
// present code.

/** In a row: a folder, a file, or every other file of the folder itself. */
export const otherFiles = '*.ts'

/** Entries of one row may not import each other; the other files may. */
export type Row = string | readonly string[]

export interface FolderLaw {
  /** By folder; the lowest row first. A folder that contains folders needs a list, and everything in it a place there. */
  readonly order: Readonly<Record<string, readonly Row[]>>
  /** Imports that are allowed against the order. An unused exception fails the check, so that the list only shrinks. */
  readonly exceptions: readonly FolderException[]
}

export interface FolderException {
  readonly from: string
  readonly to: string
  readonly reason: string
}

const packages: FolderLaw['order'] = {
  'packages/protocol/src': [
    otherFiles,
    'waiting',
    'rules',
    ['file-name.ts', 'gathered-bytes.ts'],
    ['relay', 'content', 'control', 'markdown'],
    ['index.ts', 'node.ts'],
  ],
  'packages/bot-api/src': [otherFiles, 'openapi', 'index.ts'],
  'packages/mls/src': [
    ['assert-patched.ts', 'mls-error.ts'],
    'crypto',
    'wire',
    'group',
    'provider-node.ts',
    'index.ts',
  ],
  'packages/relay/src': [
    ['limits', 'metrics', 'version.ts'],
    'store',
    ['invites', 'blobs', 'groups', 'push'],
    'accounts',
    // The parts that all code above receives.
    'context.ts',
    'connections',
    'http',
    // Events of other relays on the same data, and periodic work.
    ['cluster', 'upkeep'],
    // The relay's status, and the commands of its operator.
    'operator',
    'move',
    'config',
    'relay.ts',
    // All of `postern relay …`.
    'commands',
    'main.ts',
    'index.ts',
  ],
  // The rules that stores share know none of the stores.
  'packages/relay/src/store': [otherFiles, 'rules', ['sqlite', 'postgres']],
  'packages/relay/src/store/sqlite': [
    'schema',
    otherFiles,
    'accounts',
    'groups',
    ['mailboxes', 'blobs', 'push'],
    'log',
    'retention',
    'tools',
    'sqlite-parts.ts',
    'sqlite-store.ts',
  ],
  'packages/relay/src/store/postgres': [
    'connection',
    'schema',
    'accounts',
    'groups',
    ['mailboxes', 'blobs', 'push'],
    'log',
    'retention',
    'tools',
    'postgres-parts.ts',
    'postgres-store.ts',
  ],
  'packages/relay/src/blobs': [otherFiles, 's3', 'open-blobs.ts'],
  'packages/core/src': [
    // Decides from values alone whom and what to believe: it has no database.
    'judge',
    'storage',
    ['journal', 'relay-link', 'typing'],
    'identity',
    ['groups', 'files'],
    // The parts that the folders above share.
    'context.ts',
    'chats',
    // The records of messages, and of everything about them.
    'messages',
    'fork-detection',
    // The content, meaning and look of each kind. Nothing up to here sends.
    'kinds',
    'timeline',
    ['outbox', 'requests'],
    'healing',
    'inbox',
    'upkeep',
    // Data that outlives the database: extracted from the records, and restored to them.
    'recovery',
    'client',
    ['index.ts', 'platform-browser.ts', 'platform-node.ts'],
  ],
  'packages/core/src/storage': ['database.ts', 'schema', 'sqlite', 'directory', 'transactions', 'state'],
  'packages/core/src/chats': ['records', 'notices.ts', 'keys', 'members', 'opening'],
  'packages/core/src/files': ['transport', 'cipher', 'vault', 'files-context.ts', 'download', 'upload', otherFiles],
  'packages/media/src': [otherFiles, 'index.ts'],
  'packages/telegram/src': [
    // The context that the gateway passes in, and the parts that know no method.
    otherFiles,
    ['formatting', 'ids'],
    'views',
    ['polling', 'webhook'],
    'methods',
    ['telegram.ts', 'compatibility.ts'],
    'index.ts',
  ],
  'packages/mcp/src': [otherFiles, 'asks', 'tools', 'face.ts', 'index.ts'],
  'packages/gateway/src': [
    'config.ts',
    'access.ts',
    ['caller.ts', 'late-refusals.ts', 'version.ts'],
    ['chats', 'metrics', 'tokens'],
    ['files', 'queue'],
    'webhook',
    'updates',
    'hooks',
    ['bot', 'owner-notices'],
    // Knows all parts of the API; none of those parts knows HTTP.
    'http',
    otherFiles,
    'index.ts',
  ],
  'packages/gateway/src/hooks': [
    'texts',
    'words',
    'templates',
    'formats',
    otherFiles,
    ['commands', 'living'],
    'serve-hooks.ts',
    'start-hooks.ts',
  ],
  'packages/gateway/src/http': ['errors.ts', 'forms', otherFiles, ['reference', 'telegram', 'mcp'], 'console'],
  'packages/app/src': [
    // The messages between pages and the worker.
    'contract',
    // The notifications of messages, and the database from which the service worker shows them.
    'notifications',
    ['i18n', 'worker', 'router.ts', 'service-worker'],
    // It starts the worker, by the address of its script.
    'link',
    'parts',
    // Pieces of screens.
    ['attaching', 'bodies', 'push'],
    'install',
    ['gallery', 'group', 'people', 'settings'],
    ['conversation', 'onboarding'],
    'chat-list',
    // Decides which screen is shown.
    'frame',
    'main.tsx',
  ],
  'packages/app/src/worker': [
    otherFiles,
    'outgoing',
    'account',
    'views',
    ['move.ts', 'platform-browser.ts'],
    'calls',
    'host.ts',
    'main.ts',
  ],
  'packages/app/src/parts': [
    ['dialog-depth.ts', 'words.ts'],
    'icons',
    'text',
    'avatar',
    'toasts',
    otherFiles,
    'fields',
    'menus',
    'emoji',
    'qr',
    'dialogs',
  ],
  'packages/app/src/conversation': [
    ['isolate.ts', 'text-direction.ts', 'timing.ts'],
    'words.ts',
    ['snippet.ts', 'typing-text.ts'],
    'use-typing-text.ts',
    // The content of the text field, from values alone.
    'writing',
    'pending.ts',
    // The parts that an open conversation shares.
    'talk.ts',
    'submit.ts',
    'forwarding',
    'rows',
    ['window', 'header', 'composer'],
    otherFiles,
  ],
  'packages/sdk/src': [otherFiles, ['index.ts', 'node.ts']],
  // `bot-world` is what the published package contains.
  'packages/testkit/src': [otherFiles, ['index.ts', 'bot-world']],
  'packages/testkit/src/bot-world': [otherFiles, 'index.ts'],
  'packages/cli/src': [otherFiles, ['app', 'person', 'demo', 'backup'], ['doctor', 'mcp'], 'postern.ts', 'main.ts'],
  'packages/cli/src/backup': ['archive', otherFiles],
}

const besides: FolderLaw['order'] = {
  'bench/src': [
    otherFiles,
    'processes',
    // Parts of scenes that several measurements set up.
    ['appends', 'bare', 'crypto', 'files', 'filled', 'hooks'],
    'connections',
    ['chats', 'echo', 'group200', 'history', 'living', 'push', 'renewal', 'streams', 'updates', 'webhook'],
    ['app', 'blobs', 'group1000', 'mcp', 'presses', 'sdk', 'sends', 'telegram', 'votes'],
    ['backup', 'beside', 'postgres'],
    'main.ts',
  ],
  'campaign/src': [otherFiles, 'chaos', ['browser', 'fuzz', 'power', 'relays'], 'restores', 'main.ts'],
  'campaign/src/browser': ['check', otherFiles],
  'campaign/src/chaos': [['check', 'wire'], 'traffic', 'parts', 'faults', otherFiles],
  'campaign/src/relays': ['check', 'traffic', 'faults', otherFiles],
  scripts: ['project.ts', 'site', ['architecture', 'documents', 'openapi'], 'snippets', 'deploying', otherFiles],
}

const exceptions: readonly FolderException[] = []

export const folderLaw: FolderLaw = { order: { ...packages, ...besides }, exceptions }
