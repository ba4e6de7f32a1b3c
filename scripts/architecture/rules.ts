// The forbidden imports between the parts of Postern, each with the reason. The order of folders inside a part is in
// folders.ts.

/** No import of a file in `from` may lead to a match of `to`: a path from the root, `node:fs` or `npm:ws`. */
export interface ImportRule {
  readonly name: string
  readonly comment: string
  readonly from: RegExp
  readonly fromNot?: RegExp
  readonly to: RegExp
  readonly toNot?: RegExp
  /** Also indirectly, through other files. */
  readonly reachable?: true
}

const everything = 'everything of the product'

/** The packages of ours that a package's `src` may import. A package that is not listed here fails the check. */
export const packageMayUse: Readonly<Record<string, readonly string[] | typeof everything>> = {
  protocol: [],
  'bot-api': ['protocol'],
  mls: ['protocol'],
  relay: ['protocol'],
  core: ['bot-api', 'mls', 'protocol'],
  media: ['protocol'],
  telegram: ['bot-api', 'core', 'protocol'],
  mcp: ['bot-api', 'core', 'protocol'],
  gateway: ['bot-api', 'core', 'mcp', 'media', 'protocol', 'telegram'],
  app: ['bot-api', 'core', 'media', 'protocol'],
  sdk: [],
  testkit: everything,
  cli: everything,
}

const packageRules = Object.entries(packageMayUse).map(([name, mayUse]): ImportRule => {
  const allowed = mayUse === everything ? Object.keys(packageMayUse).filter(other => other !== 'testkit') : mayUse
  return {
    name: `${name}-uses-only-what-it-may`,
    comment: `packages/${name} may use of our code only: ${allowed.join(', ') || 'nothing'}.`,
    from: new RegExp(`^packages/${name}/(src|bin)/`),
    to: /^(packages|bench|campaign|e2e|scripts)\//,
    toNot: new RegExp(`^packages/(${[name, ...allowed].join('|')})/`),
  }
})

const boundaryRules: ImportRule[] = [
  {
    name: 'sdk-stands-alone',
    comment: 'A bot that installs the SDK installs nothing else; only its entry for Node knows Node.',
    from: /^packages\/sdk\/src\//,
    fromNot: /^packages\/sdk\/src\/node\.ts$/,
    to: /^(npm:|node:)/,
  },
  {
    name: 'sdk-without-packages',
    comment: 'A bot that installs the SDK installs nothing else.',
    from: /^packages\/sdk\/src\//,
    to: /^npm:/,
  },
  {
    name: 'no-tests-in-the-product',
    comment: 'Code that runs must not need code that tests.',
    from: /^(packages\/[^/]+|bench|campaign)\/(src|bin)\//,
    to: /^((packages\/[^/]+|bench|campaign|e2e|scripts)\/test\/|npm:(vitest|fast-check)$)/,
  },
  {
    name: 'relay-is-blind',
    comment: 'The relay carries ciphertext: it reaches nothing that knows what a message says.',
    from: /^packages\/relay\/(src|bin)\//,
    to: /^packages\/(protocol\/src\/content|bot-api|mls)\//,
    reachable: true,
  },
  {
    name: 'core-knows-no-endpoints',
    comment: 'Core speaks the objects and events of the HTTP API, but knows nothing of requests and answers.',
    from: /^packages\/core\/src\//,
    to: /^packages\/bot-api\/src\/(?!(events|ids|notices|objects)\.ts$)/,
    reachable: true,
  },
  {
    name: 'app-stays-in-the-browser',
    comment: 'What runs in a browser cannot reach a file for Node.',
    from: /^packages\/app\/src\//,
    to: /^packages\/.*-node\.ts$/,
    reachable: true,
  },
  {
    name: 'app-worker-without-screens',
    comment: 'The worker of the app knows no page: it runs in Node, too, where it is tested.',
    from: /^packages\/app\/src\/worker\//,
    to: /^(packages\/app\/src\/(?!(worker|contract|notifications)\/)|npm:(preact|@preact\/))/,
    reachable: true,
  },
  {
    name: 'app-screens-without-core',
    comment: 'What a page shows comes from the worker: no page opens the account by itself.',
    from: /^packages\/app\/src\//,
    fromNot: /^packages\/app\/src\/worker\//,
    to: /^packages\/(core|mls)\//,
  },
  {
    name: 'gateway-http-at-the-edge',
    comment: 'Only packages/gateway/src/http knows the web framework.',
    from: /^packages\/gateway\/src\//,
    fromNot: /^packages\/gateway\/src\/http\//,
    to: /^npm:(fastify$|@fastify\/|fastify-)/,
  },
]

/** Core runs in Node and in a browser: each platform's code is in files named for it, reached from that platform's file. */
const edgeRules = (['node', 'browser'] as const).map(
  (platform): ImportRule => ({
    name: `core-${platform}-behind-its-platform`,
    comment: `In core only *-${platform}.ts files, with platform-${platform}.ts on top, may import *-${platform}.ts files.`,
    from: /^packages\/core\/src\//,
    fromNot: new RegExp(`-${platform}\\.ts$`),
    to: new RegExp(`^packages/core/src/.*[-/]${platform}\\.ts$`),
  }),
)

const platformRules: ImportRule[] = [
  {
    name: 'core-node-builtins-in-node-files',
    comment: 'In core, and in protocol, only *-node.ts files may import a builtin of Node.',
    from: /^packages\/(core|mls|protocol|bot-api)\/src\//,
    fromNot: /-node\.ts$/,
    to: /^node:/,
  },
  {
    name: 'core-node-packages-in-node-files',
    comment: 'In core only *-node.ts files may import packages that run in Node alone.',
    from: /^packages\/(core|mls|protocol|bot-api)\/src\//,
    fromNot: /-node\.ts$/,
    to: /^npm:(ws|better-sqlite3|better-sqlite3-multiple-ciphers)$/,
  },
  {
    name: 'core-browser-packages-in-browser-files',
    comment: 'In core only *-browser.ts files may import packages that run in a browser alone.',
    from: /^packages\/(core|mls|protocol|bot-api)\/src\//,
    fromNot: /-browser\.ts$/,
    to: /^npm:(@evolu\/sqlite-wasm$|@sqlite\.org\/)/,
  },
]

export const importRules: readonly ImportRule[] = [...packageRules, ...boundaryRules, ...edgeRules, ...platformRules]
