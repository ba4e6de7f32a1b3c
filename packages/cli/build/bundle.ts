// Bundles all of `postern` into a few files for distribution: from its sources, Node reads and links a thousand files
// at each start.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { noticesOf } from '@postern/app/licences'
import { rapidocPath } from '@postern/gateway/reference-files'
import project from '../../../package.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { bundleCode, nativeDependencies } from './bundle-code.ts'
import { shrinkwrapOf } from './shrinkwrap.ts'

const LAUNCHER = join(import.meta.dirname, 'launcher.mjs')
const SHIPPED_APP = join(import.meta.dirname, 'shipped-app.ts')
const PACKAGE_README = join(import.meta.dirname, 'package-readme.md')
const LICENCE = join(import.meta.dirname, '../../../LICENSE')

/**
 * Writes into `directory`, and removes everything else from it. `app`: the folder of the built app, which is shipped
 * along.
 */
export async function bundle(directory: string, { app }: { app: string | undefined }): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const modules = await bundleCode({
    entryPoints: { postern: LAUNCHER },
    outdir: directory,
    // A command loads only the files that it needs, as from the sources.
    splitting: true,
    alias: { '@postern/app/build': SHIPPED_APP },
  })
  writeFileSync(join(directory, 'THIRD-PARTY.txt'), licencesOf(modules))
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
  return {
    name: 'postern',
    version,
    description: project.description,
    license,
    keywords: ['bot', 'gateway', 'messenger', 'end-to-end encryption', 'mls', 'webhook', 'alerts'],
    type: 'module',
    bin: { postern: 'postern.js' },
    engines,
    ...nativeDependencies(),
  }
}
