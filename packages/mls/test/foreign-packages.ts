// MLS implementations that others wrote. They are not part of `npm ci`: CoreCrypto is GPL, and both are large.
import { existsSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Where `.ci/run` installs them. */
const FOLDER = new URL('../../../node_modules/.interop/', import.meta.url)
const INSTALL =
  'npm install --prefix node_modules/.interop --ignore-scripts mls-ts@0.1.0 @wireapp/core-crypto@10.3.0 @hpke/core@1.9.0 @hpke/chacha20poly1305@1.8.0'

/** Where a file of the packages is, if they are installed. Otherwise a line says how to install them. */
export function foreignFile(path: string): string | undefined {
  const place = fileURLToPath(new URL(`node_modules/${path}`, FOLDER))
  if (existsSync(place)) return place
  console.warn(`${path} is missing, so nothing is tried with it: ${INSTALL}`)
  return undefined
}

/** The exports of a foreign file. The type lists the parts that the caller uses. */
export const foreignModule = <Module>(path: string): Module => createRequire(FOLDER)(path) as Module

/** From now on the library finds the parts of suites that our clients do not use among the foreign packages. */
export function findHpkeThere(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier.startsWith('@hpke/') ? { ...context, parentURL: FOLDER.href } : context),
  })
}
