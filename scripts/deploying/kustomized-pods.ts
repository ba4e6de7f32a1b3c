// `kubectl` by hand: lets the real one build the manifests, and starts the container of each StatefulSet.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { type Container, containerPart, runInside } from './containers.ts'
import type { Machine, Manager } from './machine.ts'

type Variable = {
  name: string
  value?: string
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } }
}
type PodContainer = {
  args?: string[]
  envFrom: { configMapRef: { name: string } }[]
  env?: Variable[]
  volumeMounts: { name: string; mountPath: string }[]
  readinessProbe: { exec?: { command: string[] }; httpGet?: { path: string } }
}
type Volume = { name: string; secret: { secretName: string; items: { key: string; path: string }[] } }
type Manifest = {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  spec?: { template: { spec: { containers: [PodContainer]; volumes?: Volume[] } } }
}

export const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

export function kubectl(machine: Machine): Manager {
  const pods = new Map<string, { spec: PodContainer; container: Container }>()
  const podOf = (name: string) => {
    const pod = pods.get(name)
    if (!pod) throw new Error(`nothing named ${name} was applied`)
    return pod
  }
  const apply = async (folder: string): Promise<void> => {
    const manifests = builtIn(resolve(machine.cwd, folder))
    for (const manifest of manifests.filter(({ kind }) => kind === 'StatefulSet')) {
      const pod = podIn(manifest, { manifests, machine })
      const before = pods.get(manifest.metadata.name)
      pods.set(manifest.metadata.name, pod)
      // A pod is replaced when its template has changed: names of settings contain a hash.
      if (JSON.stringify(before) !== JSON.stringify(pod))
        await machine.start(manifest.metadata.name, containerPart(machine, pod.container))
    }
  }
  return async ([verb, ...words]) => {
    if (verb === 'apply' && words[0] === '-k') await apply(words[1] ?? '')
    else if (verb === 'exec') {
      const [pod = '', , ...command] = words
      return await runInside(machine, podOf(pod.replace(/-0$/, '')).container, command)
    } else if (verb === 'rollout') {
      const name = (words[1] ?? '').replace('statefulset/', '')
      await machine.until(name, () => isReady(machine, podOf(name)))
    } else if (verb === 'describe') return await probed(machine, podOf((words[1] ?? '').replace(/-0$/, '')))
    else throw new Error(`kubectl ${verb} is not known here`)
    return ''
  }
}

function builtIn(folder: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  return parseAllDocuments(text).map(document => document.toJS() as Manifest)
}

type Place = { manifests: readonly Manifest[]; machine: Machine }

function podIn({ metadata: { name }, spec }: Manifest, { manifests, machine }: Place) {
  const { containers, volumes = [] } = spec?.template.spec ?? { containers: [] as never }
  const [container] = containers
  if (container === undefined) throw new Error(`${name} has no container`)
  const dataOf = (kind: string, of: string): Record<string, string> => {
    const found = manifests.find(manifest => manifest.kind === kind && manifest.metadata.name === of)
    if (!found) throw new Error(`${name} names a ${kind} ${of} that does not exist`)
    return found.data ?? {}
  }
  const secretOf = (of: string, key: string): string | undefined => {
    const value = dataOf('Secret', of)[key]
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
  }
  const mounts = container.volumeMounts.map(({ name: volume, mountPath }): [string, string] => {
    const folder = join(machine.root, 'volumes', `${name}-${volume}`)
    mkdirSync(folder, { recursive: true })
    const secret = volumes.find(one => one.name === volume)?.secret
    for (const { key, path } of secret?.items ?? [])
      writeFileSync(join(folder, path), secretOf(secret?.secretName ?? '', key) ?? '')
    return [mountPath, folder]
  })
  const own = (container.env ?? []).flatMap(({ name: variable, value, valueFrom }): [string, string][] => {
    const ref = valueFrom?.secretKeyRef
    const found = ref ? secretOf(ref.name, ref.key) : value
    if (found === undefined && ref?.optional !== true) throw new Error(`${variable} has no value`)
    return found === undefined ? [] : [[variable, found]]
  })
  const settings = container.envFrom.map(({ configMapRef }) => dataOf('ConfigMap', configMapRef.name))
  const env = { ...Object.assign({}, ...settings), ...Object.fromEntries(own) } as Record<string, string>
  return { spec: container, container: { args: container.args ?? [], env, mounts: Object.fromEntries(mounts) } }
}

type Pod = { spec: PodContainer; container: Container }

async function isReady(machine: Machine, { spec, container }: Pod): Promise<boolean> {
  const { exec, httpGet } = spec.readinessProbe
  if (exec) return await runInside(machine, container, exec.command).then(isTrue, isFalse)
  const listen = containerPart(machine, container).env['POSTERN_RELAY_LISTEN']
  return await fetch(`http://${listen}${httpGet?.path}`).then(({ ok }) => ok, isFalse)
}

/** An event of the pod has what its probe printed. */
const probed = (machine: Machine, { spec, container }: Pod): Promise<string> =>
  runInside(machine, container, spec.readinessProbe.exec?.command ?? []).catch(String)

const isTrue = (): boolean => true
const isFalse = (): boolean => false
