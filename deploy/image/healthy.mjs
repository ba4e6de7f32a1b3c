// The image's health check, for gateway and relay: exit code 0 when the one that runs here answers /healthz.
import { get } from 'node:http'

/** `:8080` listens on all addresses, of which this machine's own is one. */
const portOf = listen => /:(\d+)$/.exec(listen)?.[1]
const ports = [portOf(process.env.LISTEN ?? ':8080'), portOf(process.env.POSTERN_RELAY_LISTEN ?? ':8090')]

const answers = port =>
  new Promise(resolve => {
    const asked = get({ host: '127.0.0.1', port, path: '/healthz', timeout: 4000 }, answer => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
  })

process.exitCode = (await Promise.all(ports.map(answers))).includes(true) ? 0 : 1
