// The image's health check, for gateway and relay: exit code 0 when the process that runs here answers /healthz.
// With the argument `ready` it asks /readyz instead. It prints why the process is not ready, in both cases.
import { get } from 'node:http'

/** `:8080` listens on all addresses, of which this machine's own is one. */
const portOf = listen => /:(\d+)$/.exec(listen)?.[1]
const ports = [portOf(process.env.LISTEN ?? ':8080'), portOf(process.env.POSTERN_RELAY_LISTEN ?? ':8090')]

const ask = (port, path) =>
  new Promise(resolve => {
    const asked = get({ host: '127.0.0.1', port, path, timeout: 4000 }, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', part => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
  })

const wanted = process.argv[2] === 'ready' ? '/readyz' : '/healthz'
const asked = await Promise.all(
  ports.map(async port => ({ wanted: await ask(port, wanted), ready: await ask(port, '/readyz') })),
)
for (const { ready } of asked) if (ready && ready.status !== 200) process.stdout.write(`${ready.text}\n`)
process.exitCode = asked.some(({ wanted: answer }) => answer?.status === 200) ? 0 : 1
