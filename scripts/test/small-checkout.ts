// A sound checkout of a few files in memory, and rules that it keeps: a test changes one file and reads the problems.
import { checkArchitecture, type Law } from '../architecture/check-architecture.ts'
import type { Project } from '../project.ts'

export type Files = Readonly<Record<string, string>>

export const manifest = (name: string, fields: object = {}): string =>
  JSON.stringify({ name: `@postern/${name}`, ...fields })
export const uses = (...names: string[]) => ({
  dependencies: Object.fromEntries(names.map(name => [`@postern/${name}`, '0.1.0'])),
})
export const index = { exports: { '.': './src/index.ts' } }

const sound: Files = {
  'package.json': '{ "devDependencies": { "vitest": "1.0.0" } }',
  'packages/protocol/package.json': manifest('protocol', {
    exports: { '.': './src/index.ts', './content': './src/content/index.ts' },
  }),
  'packages/bot-api/package.json': manifest('bot-api', index),
  'packages/bot-api/src/index.ts': 'export const endpoints = 1',
  'packages/protocol/src/index.ts': 'export type Id = string',
  'packages/protocol/src/content/index.ts': 'export const content = 1',
  'packages/core/package.json': manifest('core', { ...index, ...uses('protocol') }),
  'packages/core/src/index.ts': "import { content } from '@postern/protocol/content'\nexport const core = content",
  'packages/core/src/platform-node.ts': "import { open } from './sqlite-node.ts'\nexport const platform = open",
  'packages/core/src/sqlite-node.ts': "import { readFileSync } from 'node:fs'\nexport const open = readFileSync",
  'packages/relay/package.json': manifest('relay', uses('protocol')),
  'packages/relay/src/index.ts': "import type { Id } from '@postern/protocol'\nexport type Relay = Id",
  'packages/gateway/package.json': manifest('gateway', uses('core')),
  'packages/gateway/src/http/server.ts': "import '../chats/chats.ts'",
  'packages/gateway/src/chats/chats.ts': "import { core } from '@postern/core'\nexport const chats = core",
  'packages/testkit/package.json': manifest('testkit', { ...index, ...uses('core') }),
  'packages/testkit/src/index.ts': "import { core } from '@postern/core'\nexport const people = core",
}

const projectOf = (files: Files): Project => ({
  paths: Object.keys(files),
  read: path => files[path] ?? '',
  installedLicence: () => undefined,
})

export const law: Law = {
  modulesMin: 1,
  folders: {
    order: {
      'packages/protocol/src': ['content', 'index.ts', '*.ts'],
      'packages/gateway/src': ['chats', 'http', '*.ts'],
    },
    exceptions: [],
  },
  tables: [],
  names: {
    refusedVerbs: { take: 'It does not say what is done.' },
    takenTypes: ['Record'],
    refusedTypes: ['Around', 'Once', 'Kept'],
    nouns: ['Housekeeping'],
    left: {},
  },
}

/** The first lines of the problems. */
export const problemsOf = (changed: Files, changedLaw: Partial<Law> = {}): string[] =>
  checkArchitecture(projectOf({ ...sound, ...changed }), { ...law, ...changedLaw }).problems.map(
    problem => problem.split('\n')[0] ?? '',
  )
