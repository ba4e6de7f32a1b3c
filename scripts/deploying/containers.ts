// A container of ours by hand: the words and variables of the image, with the paths and ports of this machine.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine, Part } from './machine.ts'

/** Paths of a container, and where they are here. */
export type Mounts = Readonly<Record<string, string>>
export type Container = { args: readonly string[]; env: Readonly<Record<string, string | null>>; mounts: Mounts }

/** Those of the last stage, which the image has. */
function imageVariables(dockerfile: string): Record<string, string> {
  const [, words = ''] = /^ENV (NODE_ENV=.*)$/m.exec(dockerfile) ?? []
  return Object.fromEntries([...words.matchAll(/(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value]))
}

export function containerPart(machine: Machine, { args, env, mounts }: Container): Part {
  const dockerfile = readFileSync(join(machine.root, 'deploy/image/Dockerfile'), 'utf8')
  const [, command = ''] = /^CMD \["(\w+)"\]$/m.exec(dockerfile) ?? []
  for (const place of Object.values(mounts)) if (!existsSync(place)) mkdirSync(place, { recursive: true })
  const inside = (text: string): string => pathsHere(machine, mounts, text)
  const all = { ...ownPorts(args), ...imageVariables(dockerfile), ...env }
  // A setting that is empty in YAML has no value there.
  const here = Object.entries(all).map(([name, value]) => [
    name,
    listenHere(machine, inside(machine.replaceIn(value ?? ''))),
  ])
  const words = ['node', '/app/postern.js', ...(args.length === 0 ? [command] : args)]
  return { words: words.map(inside), env: Object.fromEntries(here) as Record<string, string> }
}

/** Its health check asks both ports. In a container nobody listens on the other one, and nobody does on port 1 here. */
const ownPorts = ([command]: readonly string[]): Record<string, string> =>
  command === 'relay'
    ? { LISTEN: ':1', POSTERN_RELAY_LISTEN: ':8090' }
    : { LISTEN: ':8080', POSTERN_RELAY_LISTEN: ':1' }

/** Runs a command in a container: `docker compose exec`, a health check, `kubectl exec`. */
export async function runInside(machine: Machine, container: Container, words: readonly string[]): Promise<string> {
  const { env } = containerPart(machine, container)
  return await machine.run(words.map(word => `'${pathsHere(machine, container.mounts, word)}'`).join(' '), env)
}

function pathsHere(machine: Machine, mounts: Mounts, text: string): string {
  const program = {
    '/app/postern.js': join(machine.root, 'usr/local/bin/postern'),
    '/app/healthy.mjs': join(machine.root, 'deploy/image/healthy.mjs'),
  }
  const found = Object.entries({ ...program, ...mounts }).find(([path]) => text === path || text.startsWith(`${path}/`))
  return found ? found[1] + text.slice(found[0].length) : text
}

/** A container has its ports for itself; here they are free ones, on loopback alone. */
const listenHere = (machine: Machine, value: string): string =>
  value.replace(/^:(\d+)$/, (_, port) => `127.0.0.1:${machine.portOf(Number(port))}`)
