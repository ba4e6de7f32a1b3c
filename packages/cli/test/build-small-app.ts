// Builds the app of a folder, as a process that can be one of many or be killed.
import { builtApp } from '@postern/app/build'

const [directory = ''] = process.argv.slice(2)
const onBuild = () => {
  process.stdout.write('building\n')
  return () => undefined
}
await builtApp({ directory, onBuild })
