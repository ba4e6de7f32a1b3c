// Replaces values of a page that differ on the machine of a test.
import { freePort } from '@postern/testkit'

export type StandIns = { replaceIn(text: string): string; portOf(port: number): number; readonly relayUrl: string }

/** The ports on the pages: gateway, relay, metrics of the relay, a receiver of webhooks. */
const named = [8080, 8090, 9090, 3000]

export async function standInsIn(directory: string): Promise<StandIns> {
  const ports = new Map<number, number>()
  for (const port of named) ports.set(port, await freePort())
  const portOf = (port: number): number => ports.get(port) ?? port
  const relay = `127.0.0.1:${portOf(8090)}`
  const gateway = `127.0.0.1:${portOf(8080)}`
  const replaceIn = (text: string): string =>
    text
      // Not inside of another path: a file that was written by these names may be read by them.
      .replaceAll(/(?<![\w.])\/(var\/(?:lib|cache|backups)|etc|usr\/local)(?=[/\s]|$)/gm, `${directory}/$1`)
      .replaceAll('https://relay.example', `http://${relay}`)
      .replaceAll('relay.example', relay)
      .replaceAll('https://hooks.example', `http://${gateway}`)
      .replaceAll(/\b(localhost|127\.0\.0\.1):(\d+)/g, (_, host, port) => `${host}:${portOf(Number(port))}`)
      .replaceAll(/\blisten\((\d+)/g, (_, port) => `listen(${portOf(Number(port))}`)
      // The app takes a while to build, and is tested elsewhere; installed packages are not installed again.
      .replaceAll('npm ci', 'true')
      .replaceAll('npm start', `npm start -- --relay-port ${portOf(8090)} --gateway-port ${portOf(8080)} --app off`)
  return { replaceIn, portOf, relayUrl: `http://${relay}` }
}
