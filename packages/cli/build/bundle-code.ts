// Bundles our code with the libraries that it needs, for the command and for the testkit.
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { type BuildOptions, build } from 'esbuild'

/** Native code cannot be bundled: these come from the `node_modules` next to the bundle or above it. */
const NATIVE = ['better-sqlite3', 'better-sqlite3-multiple-ciphers', 'sharp']
/** Native code that ws uses if it is installed, which it is not. */
const ABSENT = ['bufferutil', 'utf-8-validate']

/** Libraries that are not ES modules load Node's own modules with `require`. */
const REQUIRE =
  "import { createRequire as posternRequire } from 'node:module';const require = posternRequire(import.meta.url);"

type CodeToBundle = Pick<BuildOptions, 'alias' | 'entryPoints' | 'outdir' | 'splitting'>

/** Returns the paths of the modules that the bundle contains. */
export async function bundleCode(code: CodeToBundle): Promise<string[]> {
  const { metafile } = await build({
    ...code,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [...NATIVE, ...ABSENT],
    banner: { js: REQUIRE },
    // The text of all code stays in memory. Names stay, too: a stack in the log must show the place.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  })
  return Object.keys(metafile.inputs)
}

type NativeDependencies = {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string> | undefined
}

/** For the package.json of a bundle. */
export function nativeDependencies(): NativeDependencies {
  const dependencies = Object.fromEntries(NATIVE.map(name => [name, manifestOf(name).version]))
  // Native code that makes signatures faster on machines for which it exists.
  const { optionalDependencies } = manifestOf('@postern/mls')
  return { dependencies, optionalDependencies }
}

type Manifest = { version: string; optionalDependencies?: Record<string, string> }

function manifestOf(name: string): Manifest {
  const path = findPackageJSON(name, import.meta.url)
  if (path === undefined) throw new Error(`${name} is not installed: run npm ci`)
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}
