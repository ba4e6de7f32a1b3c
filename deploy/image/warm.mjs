// Runs every part once while the image is built, so that V8 has compiled its code before the first real start.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [, , directory] = process.argv
const demo = spawn(
  process.execPath,
  ['/app/postern.js', 'demo', '--relay-port', '0', '--gateway-port', '0', '--data', directory],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
for await (const line of createInterface({ input: demo.stdout })) if (line.includes('Ctrl-C')) break
demo.kill('SIGTERM')
await new Promise(resolve => demo.once('close', resolve))
