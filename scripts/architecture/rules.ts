// Which way the parts of Postern may depend on each other, as rules for dependency-cruiser.

import type { IForbiddenRuleType } from 'dependency-cruiser'

/** Fewer modules than this means that the reader was blind, not that the code is in order. */
export const MODULES_MIN = 100

const everything = 'everything of the product'

/** What a package's `src` may import of our packages. A package that is not listed here fails the check. */
export const packageMayUse: Readonly<Record<string, readonly string[] | typeof everything>> = {
  protocol: [],
  'bot-api': ['protocol'],
  mls: ['protocol'],
  relay: ['protocol'],
  core: ['bot-api', 'mls', 'protocol'],
  media: ['protocol'],
  gateway: ['bot-api', 'core', 'media', 'protocol'],
  app: ['bot-api', 'core', 'protocol'],
  sdk: ['bot-api', 'protocol'],
  testkit: everything,
  cli: everything,
}

const packageRules = Object.entries(packageMayUse).map(([name, mayUse]): IForbiddenRuleType => {
  const allowed = mayUse === everything ? Object.keys(packageMayUse).filter(other => other !== 'testkit') : mayUse
  return {
    name: `${name}-uses-only-what-it-may`,
    comment: `packages/${name} may use of our code only: ${allowed.join(', ') || 'nothing'}.`,
    severity: 'error',
    from: { path: `^packages/${name}/(src|bin)/` },
    to: { path: '^(packages|bench|campaign|e2e|scripts)/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
  }
})

const boundaryRules: IForbiddenRuleType[] = [
  {
    name: 'no-cycles',
    comment: 'Dependencies point one way, and types count.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-dead-imports',
    comment: 'What cannot be resolved cannot be checked.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'packages-by-name',
    comment: 'Another package is imported by its name (@postern/…), so that its exports are its border.',
    severity: 'error',
    // The one door through which measurements look inside.
    from: { path: '^(packages/[^/]+|bench|campaign|e2e|scripts)/', pathNot: '^bench/src/inside\\.ts$' },
    // From scripts/, whose manifest names the workspaces, a package by its name counts as local and as an alias.
    to: {
      path: '^(packages|bench|campaign|e2e|scripts)/',
      pathNot: '^$1/',
      dependencyTypes: ['local'],
      dependencyTypesNot: ['aliased-workspace'],
    },
  },
  {
    name: 'no-tests-in-the-product',
    comment: 'Code that runs must not need code that tests.',
    severity: 'error',
    from: { path: '^(packages/[^/]+|bench|campaign)/(src|bin)/' },
    to: { path: ['^(packages/[^/]+|bench|campaign|e2e|scripts)/test/', 'node_modules/(vitest|fast-check)/'] },
  },
  {
    name: 'relay-is-blind',
    comment: 'The relay carries ciphertext: it reaches nothing that knows what a message says.',
    severity: 'error',
    from: { path: '^packages/relay/(src|bin)/' },
    to: { path: '^packages/(protocol/src/content|bot-api|mls)/', reachable: true },
  },
  {
    name: 'core-knows-no-endpoints',
    comment: 'Core speaks the objects of the HTTP API, but knows nothing of requests and answers.',
    severity: 'error',
    from: { path: '^packages/core/src/' },
    to: { path: '^packages/bot-api/src/(?!objects\\.ts$)', reachable: true },
  },
  {
    name: 'app-stays-in-the-browser',
    comment: 'What runs in a browser cannot reach a file for Node.',
    severity: 'error',
    from: { path: '^packages/app/src/' },
    to: { path: '^packages/.*-node\\.ts$', reachable: true },
  },
  {
    name: 'gateway-http-at-the-edge',
    comment: 'Only packages/gateway/src/http knows the web framework.',
    severity: 'error',
    from: { path: '^packages/gateway/src/', pathNot: '^packages/gateway/src/http/' },
    to: { path: 'node_modules/(fastify|@fastify|fastify-[^/]+)/' },
  },
  {
    name: 'gateway-domain-below-http',
    comment: "The gateway's domain folders are called by http/ and do not know it.",
    severity: 'error',
    from: { path: '^packages/gateway/src/[^/]+/', pathNot: '^packages/gateway/src/http/' },
    to: { path: '^packages/gateway/src/http/' },
  },
]

/** Core runs in Node and in a browser: each platform's code is in files named for it, reached from that platform's rim. */
const rimRules = (['node', 'browser'] as const).map(
  (platform): IForbiddenRuleType => ({
    name: `core-${platform}-behind-its-rim`,
    comment: `In core only *-${platform}.ts files, with rim-${platform}.ts on top, may import *-${platform}.ts files.`,
    severity: 'error',
    from: { path: '^packages/core/src/', pathNot: `-${platform}\\.ts$` },
    to: { path: `^packages/core/src/.*[-/]${platform}\\.ts$` },
  }),
)

const platformRules: IForbiddenRuleType[] = [
  {
    name: 'core-node-builtins-in-node-files',
    comment: 'In core, and in protocol, only *-node.ts files may import a builtin of Node.',
    severity: 'error',
    from: { path: '^packages/(core|mls|protocol|bot-api)/src/', pathNot: '-node\\.ts$' },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'core-node-packages-in-node-files',
    comment: 'In core only *-node.ts files may import packages that run in Node alone.',
    severity: 'error',
    from: { path: '^packages/(core|mls|protocol|bot-api)/src/', pathNot: '-node\\.ts$' },
    to: { path: 'node_modules/(@types/)?(ws|better-sqlite3-multiple-ciphers)/' },
  },
  {
    name: 'core-browser-packages-in-browser-files',
    comment: 'In core only *-browser.ts files may import packages that run in a browser alone.',
    severity: 'error',
    from: { path: '^packages/(core|mls|protocol|bot-api)/src/', pathNot: '-browser\\.ts$' },
    to: { path: 'node_modules/@sqlite\\.org/' },
  },
]

export const architectureRules: readonly IForbiddenRuleType[] = [
  ...packageRules,
  ...boundaryRules,
  ...rimRules,
  ...platformRules,
]
