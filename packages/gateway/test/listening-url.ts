// The address of a gateway that runs as a separate process and chose its port itself.
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** From its log, which must be read further: a full pipe would block it. */
export async function listeningUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('its standard output is not read')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', line => {
    const { url } = JSON.parse(line) as { url?: string }
    if (url !== undefined) resolve(url)
  })
  child.once('exit', () => reject(new Error('it ended before it listened')))
  return await promise
}
