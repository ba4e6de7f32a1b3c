// `docker compose` by hand: reads compose.yaml with its .env, and starts the services of ours.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { type Container, containerPart, type Mounts, runInside } from './containers.ts'
import type { Machine, Manager } from './machine.ts'

type Service = {
  image: string
  build?: { context: string; dockerfile: string }
  command?: string[]
  environment?: Record<string, string | null>
  volumes?: string[]
  secrets?: string[]
  healthcheck?: { test: string[] }
}
type ComposeFile = { services: Record<string, Service>; secrets: Record<string, { file: string }> }

export function compose(machine: Machine): Manager {
  const path = join(machine.root, 'deploy/compose/compose.yaml')
  const serviceOf = (name: string) => {
    const { services, secrets } = parse(interpolated(path), { merge: true }) as ComposeFile
    const service = services[name]
    if (service === undefined) throw new Error(`compose.yaml has no service ${name}`)
    return { service, container: containerOf(service, { path, secrets, machine }) }
  }
  const up = async (name: string): Promise<void> => {
    const { service, container } = serviceOf(name)
    // Others' images are not here; the proxy's own test runs its file.
    if (service.build === undefined) return
    await machine.start(name, containerPart(machine, container))
    const words = service.healthcheck?.test.slice(1) ?? []
    await machine.until(name, () => runInside(machine, container, words).then(isTrue, isFalse))
  }
  return async ([program, verb, ...words]) => {
    if (program !== 'compose') throw new Error(`docker ${program} is not known here`)
    const names = words.filter(word => !word.startsWith('-'))
    if (verb === 'build') for (const name of names) assertBuildable(serviceOf(name).service, path)
    else if (verb === 'up') for (const name of names) await up(name)
    else if (verb === 'exec') return await runInside(machine, serviceOf(words[0] ?? '').container, words.slice(1))
    else throw new Error(`docker compose ${verb} is not known here`)
    return ''
  }
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?why}`, from .env beside the file. */
function interpolated(path: string): string {
  const lines = readFileSync(join(dirname(path), '.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)
  const set = new Map([...lines].map(([, name = '', value = '']) => [name, value]))
  let text = readFileSync(path, 'utf8')
  for (const [variable, name = '', kind = '', rest = ''] of text.matchAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g)) {
    const value = set.get(name) ?? ''
    if (value === '' && kind === '?') throw new Error(`${name}: ${rest}`)
    text = text.replaceAll(variable, value === '' && kind === '-' ? rest : value)
  }
  return text
}

type Place = { path: string; secrets: ComposeFile['secrets']; machine: Machine }

function containerOf(service: Service, { path, secrets, machine }: Place): Container {
  const volumes = (service.volumes ?? []).map((volume): [string, string] => {
    const [from = '', to = ''] = volume.split(':')
    return [to, from.startsWith('.') ? resolve(dirname(path), from) : join(machine.root, 'volumes', from)]
  })
  const files = (service.secrets ?? []).map((name): [string, string] => [
    `/run/secrets/${name}`,
    resolve(dirname(path), secrets[name]?.file ?? ''),
  ])
  const mounts: Mounts = Object.fromEntries([...volumes, ...files].filter(([to]) => !to.startsWith('/etc/')))
  return { args: service.command ?? [], env: service.environment ?? {}, mounts }
}

/** The build itself needs a registry: whether its files are there can be seen without one. */
function assertBuildable({ build }: Service, path: string): void {
  const context = resolve(dirname(path), build?.context ?? '')
  if (build === undefined || !existsSync(join(context, build.dockerfile)))
    throw new Error(`there is no ${build?.dockerfile} in ${context}`)
}

const isTrue = (): boolean => true
const isFalse = (): boolean => false
