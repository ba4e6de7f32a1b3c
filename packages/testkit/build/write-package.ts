// Writes the testkit as a package for bot authors: relay, gateway and client in one file, and types without imports.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { noticesOf } from '@postern/app/licences'
import { bundleCode, nativeDependencies } from '@postern/cli/bundle-code'
import manifest from '../package.json' with { type: 'json' }

const PACKAGE = join(import.meta.dirname, '..')
const ROOT = join(PACKAGE, '../..')
const SOURCES = 'packages/testkit/src/bot-world'

/** Removes everything else from the directory. */
export async function writePackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const modules = await bundleCode({ entryPoints: { index: join(ROOT, SOURCES, 'index.ts') }, outdir: directory })
  writeFileSync(
    join(directory, 'THIRD-PARTY.txt'),
    `This package contains the following libraries.\n\n${noticesOf(modules).join('\n\n')}\n`,
  )
  cpSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'))
  cpSync(join(PACKAGE, 'README.md'), join(directory, 'README.md'))
  writeTypes(directory)
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(publishedManifest(), undefined, 2)}\n`)
}

function publishedManifest(): object {
  const { name, version, license } = manifest
  return {
    name,
    version,
    description: 'Tests of bots for Postern: a relay, a gateway, the bot and people in one process.',
    license,
    type: 'module',
    engines: { node: '>=24' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    publishConfig: { access: 'public' },
    ...nativeDependencies(),
  }
}

function writeTypes(directory: string): void {
  const written = mkdtempSync(join(tmpdir(), 'postern-types-'))
  try {
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    execFileSync(tsc, ['-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', written], { stdio: 'inherit' })
    for (const path of typesFrom(join(written, SOURCES), 'index.d.ts'))
      cpSync(join(written, SOURCES, path), join(directory, path))
  } finally {
    rmSync(written, { recursive: true })
  }
}

/** The files that an author's compiler reads. Anything outside of the folder would not be there. */
function typesFrom(folder: string, first: string): Set<string> {
  const found = new Set([first])
  for (const path of found) {
    const text = readFileSync(join(folder, path), 'utf8')
    for (const [, named = ''] of text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      const target = relative(folder, join(folder, dirname(path), named)).replace(/\.[jt]s$/, '.d.ts')
      if (!named.startsWith('.') || target.startsWith('..'))
        throw new Error(`${path} imports ${named}, which is not in the package: mark what needs it with @internal`)
      found.add(target)
    }
  }
  return found
}
