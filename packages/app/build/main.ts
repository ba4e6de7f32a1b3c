// `npm run build`: the app, ready to be served.
import { builtApp } from './built-app.ts'

const beganMs = performance.now()
const folder = await builtApp({
  onBuild: () => {
    process.stdout.write('Building the app …')
    return () => process.stdout.write(` ${((performance.now() - beganMs) / 1000).toFixed(1)} s\n`)
  },
})
process.stdout.write(`${folder}\n`)
