// The port that the next start needs: free, permitted, and on an address of this machine.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Deferred, type ListenAddress, listenPlace, systemCodeOf } from '@postern/protocol'
import type { ProcessState } from './ask-running.ts'
import { type Diagnosis, fail, ok } from './finding.ts'

type PortCase = {
  running: ProcessState<unknown>
  /** The name of the setting. */
  setting: string
  listen: ListenAddress | undefined
}

/** If a process has the directory, or may have it, the port is its own. Port 0 is any free one. */
export async function checkPort({ running, setting, listen }: PortCase): Promise<Diagnosis[]> {
  if (running.kind !== 'nothing' || listen === undefined || listen.port === 0) return []
  const place = listenPlace(listen)
  const code = await bindFault(listen)
  if (code === undefined) return [ok('port', `${place} is free`)]
  const text = `${setting}: ${place} ${whyNot(code)}`
  return [fail('port', { text, todo: adviceOn(code, { setting, port: listen.port }) })]
}

function whyNot(code: string): string {
  if (code === 'EADDRINUSE') return 'is in use by another program'
  if (code === 'EADDRNOTAVAIL') return 'is not an address of this machine'
  return `cannot be opened (${code})`
}

function adviceOn(code: string, { setting, port }: { setting: string; port: number }): string {
  if (code === 'EADDRINUSE') return `stop that program (ss -ltnp 'sport = :${port}' shows it), or change ${setting}`
  if (code === 'EACCES') return `change ${setting} to a port above 1023, with a proxy in front of it`
  return `change ${setting}`
}

/** Opened for a moment, as the start does it. Returns the system's code, or undefined if the port can be used. */
async function bindFault({ host, port }: ListenAddress): Promise<string | undefined> {
  if (host !== undefined) return await bind(host, port)
  const code = await bind('::', port)
  return code === 'EAFNOSUPPORT' ? await bind('0.0.0.0', port) : code
}

async function bind(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  const wait = new Deferred<string | undefined>()
  server.once('error', error => wait.resolve(systemCodeOf(error)))
  server.listen({ host, port, exclusive: true }, () => wait.resolve(undefined))
  const code = await wait.promise
  if (code !== undefined) return code
  const closed = once(server, 'close')
  server.close()
  await closed
  return undefined
}
