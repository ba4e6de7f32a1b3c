// Bundles all of `postern` into a few files for distribution: from its sources, Node reads and links a thousand files
// at each start.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { noticesOf } from '@postern/app/licences'
import { rapidocPath } from '@postern/gateway/reference-files'
import { build } from 'esbuild'
import project from '../../../package.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { shrinkwrapOf } from './shrinkwrap.ts'

/** Native code cannot be bundled: these come from the `node_modules` next to the bundle or above it. */
const NATIVE = ['better-sqlite3', 'better-sqlite3-multiple-ciphers', 'sharp']
/** Native code that ws uses if it is installed, which it is not. */
const ABSENT = ['bufferutil', 'utf-8-validate']

const LAUNCHER = join(import.meta.dirname, 'launcher.mjs')
const SHIPPED_APP = join(import.meta.dirname, 'shipped-app.ts')
const PACKAGE_README = join(import.meta.dirname, 'package-readme.md')
const LICENCE = join(import.meta.dirname, '../../../LICENSE')

/** Libraries that are not ES modules load Node's own modules with `require`. */
const REQUIRE =
  "import { createRequire as posternRequire } from 'node:module';const require = posternRequire(import.meta.url);"

/**
 * Writes into `directory`, and removes everything else from it. `app`: the folder of the built app, which is shipped
 * along.
 */
export async function bundle(directory: string, { app }: { app: string | undefined }): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const { metafile } = await build({
    entryPoints: { postern: LAUNCHER },
    outdir: directory,
    bundle: true,
    // A command loads only the files that it needs, as from the sources.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [...NATIVE, ...ABSENT],
    alias: { '@postern/app/build': SHIPPED_APP },
    banner: { js: REQUIRE },
    // The text of all code stays in memory. Names stay, too: a stack in the log must show the place.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  })
  writeFileSync(join(directory, 'THIRD-PARTY.txt'), licencesOf(Object.keys(metafile.inputs)))
  cpSync(LICENCE, join(directory, 'LICENSE'))
  cpSync(PACKAGE_README, join(directory, 'README.md'))
  chmodSync(join(directory, 'postern.js'), 0o755)
  const shipped = shippedManifest()
  writeFileSync(join(directory, 'package.json'), inLines(shipped))
  writeFileSync(join(directory, 'npm-shrinkwrap.json'), inLines(shrinkwrapOf(shipped)))
  cpSync(rapidocPath(), join(directory, basename(rapidocPath())))
  if (app !== undefined) cpSync(app, join(directory, 'app'), { recursive: true })
}

const inLines = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`

const licencesOf = (modules: readonly string[]): string =>
  `This program contains the following libraries.\n\n${[...noticesOf([...modules, rapidocPath()]), inRapidoc()].join('\n\n')}\n`

/** The file of the reference page is a bundle itself, and its makers list only part of its content. */
const inRapidoc = (): string => `==== In rapidoc

${readFileSync(join(dirname(rapidocPath()), 'rapidoc-min.js.LICENSE.txt'), 'utf8').trim()}

swagger-client and @swagger-api/apidom: Apache-2.0, by SmartBear Software. lit: BSD-3-Clause, by Google LLC. ramda-adjunct: BSD-3-Clause, by Vladimir Gorej.
marked, ramda, minim, randexp, xml-but-prettier, base64-arraybuffer: MIT, by their authors.`

/** Declares these files as modules, and the packages to install with them: this makes the folder an npm package. */
function shippedManifest() {
  const { version, license, engines } = manifest
  const dependencies = Object.fromEntries(NATIVE.map(name => [name, manifestOf(name).version]))
  // Native code that makes signatures faster on machines for which it exists.
  const { optionalDependencies } = manifestOf('@postern/mls')
  return {
    name: 'postern',
    version,
    description: project.description,
    license,
    keywords: ['bot', 'gateway', 'messenger', 'end-to-end encryption', 'mls', 'webhook', 'alerts'],
    type: 'module',
    bin: { postern: 'postern.js' },
    engines,
    dependencies,
    optionalDependencies,
  }
}

type Manifest = { version: string; optionalDependencies?: Record<string, string> }

function manifestOf(name: string): Manifest {
  const path = findPackageJSON(name, import.meta.url)
  if (path === undefined) throw new Error(`${name} is not installed: run npm ci`)
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}
