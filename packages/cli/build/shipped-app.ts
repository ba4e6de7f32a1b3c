// The web app of a bundle, in place of `@postern/app/build`: built in advance and shipped next to the code. Nothing is
// built here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type * as AppBuild from '@postern/app/build'

const APP = join(import.meta.dirname, 'app')

export const foundApp: typeof AppBuild.foundApp = () => (existsSync(join(APP, 'index.html')) ? APP : undefined)

export const builtApp: typeof AppBuild.builtApp = async () => {
  const app = foundApp()
  if (app === undefined) throw new Error(`${APP} does not hold the app: it was bundled without`)
  return app
}
