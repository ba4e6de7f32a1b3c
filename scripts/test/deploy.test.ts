// The files of deploy/: they name this version and existing settings, keep the API private, and sandbox their processes.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

type Service = {
  image: string
  environment?: Record<string, string>
  ports?: string[]
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  profiles?: string[]
}

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifestOf = (path: string) =>
  JSON.parse(read(path)) as { version: string; dependencies?: Record<string, string> }
const { version } = manifestOf('package.json')

describe('versions', () => {
  test('are one for all packages, also where one names another', () => {
    const manifests = globSync('{packages/*,bench,campaign,e2e}/package.json', { cwd: root }).map(manifestOf)
    const named = manifests.flatMap(manifest => [
      manifest.version,
      ...Object.entries(manifest.dependencies ?? {}).flatMap(([name, of]) => (name.startsWith('@postern/') ? of : [])),
    ])
    expect(new Set(named)).toEqual(new Set([version]))
  })

  test('of images are that of the project', () => {
    expect(read('deploy/compose/compose.yaml')).toContain(`image: postern:${version}\n`)
    expect(read('deploy/kubernetes/kustomization.yaml')).toContain(`newTag: ${version} }`)
  })
})

describe('compose', () => {
  const { services } = parse(read('deploy/compose/compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
  }
  const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('postern:'))

  test.each(ours)('%s runs without rights, on a root that it cannot change', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      init: true,
    })
  })

  test('publishes the proxy to everybody, and of the rest nothing beyond this machine', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) => (name === 'proxy' ? [] : ports))
    expect(published).toEqual(['127.0.0.1:8080:8080'])
  })

  test('sets nothing that nobody reads', () => {
    const names = ours.flatMap(([, { environment = {} }]) => Object.keys(environment))
    const settings = ['packages/gateway/src/config.ts', 'docs/settings.md', 'docs/relay.md'].map(read).join('\n')
    const isRead = (name: string) => settings.includes(`'${name}'`) || settings.includes(`\`${name}\``)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter(name => !isRead(name))).toEqual([])
  })
})

describe('systemd', () => {
  const units = globSync('deploy/systemd/*.service', { cwd: root })
  const settingIn = (unit: string, name: RegExp): string => name.exec(read(unit))?.[1] ?? `none in ${unit}`

  // A unit of another user must not supply the code that this one runs, and systemd gives a shared folder to the last user.
  test('each unit, and each instance of it, has a cache directory of its own', () => {
    const caches = units.map(unit => settingIn(unit, /^CacheDirectory=(.*)$/m))
    expect(new Set(caches).size).toBe(units.length)
    for (const [at, unit] of units.entries()) {
      expect(settingIn(unit, /NODE_COMPILE_CACHE=(\S+)/)).toBe(`%C/${caches[at]}`)
      expect(settingIn(unit, /^CacheDirectoryMode=(.*)$/m)).toBe('0700')
      expect(caches[at]?.endsWith('/%i')).toBe(unit.includes('@'))
    }
  })
})

describe('Kubernetes', () => {
  type Manifest = {
    kind: string
    metadata: { name: string }
    spec: {
      serviceName?: string
      selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>
      ports?: { name: string; targetPort: string }[]
      rules?: { http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[]
      template?: {
        metadata: { labels: object }
        spec: { containers: { ports: { name: string; containerPort: number }[] }[] }
      }
    }
  }
  const manifests = ['relay', 'bot'].flatMap(name =>
    parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map(document => document.toJS() as Manifest),
  )
  const named = (kind: string, name = ''): Manifest | undefined =>
    manifests.find(one => one.kind === kind && one.metadata.name === name)

  test.each(['relay', 'bot'])('%s: set, service and ingress name each other, and the port of the image', name => {
    const { spec } = named('StatefulSet', name) ?? {}
    const port = spec?.template?.spec.containers[0]?.ports[0]
    expect(spec?.template?.metadata.labels).toEqual(spec?.selector?.matchLabels)
    expect(read('deploy/image/Dockerfile')).toMatch(new RegExp(`^EXPOSE .*\\b${port?.containerPort}\\b`, 'm'))
    const service = named('Service', spec?.serviceName)
    expect([service?.spec.selector, service?.spec.ports?.[0]?.targetPort]).toEqual([{ app: name }, port?.name])
    const ingress = manifests.find(one => one.kind === 'Ingress' && one.metadata.name.startsWith(name))
    const backend = ingress?.spec.rules?.[0]?.http.paths[0]?.backend.service
    expect(backend).toEqual({ name, port: { name: service?.spec.ports?.[0]?.name } })
  })

  test('only /hooks/ of the gateway is public', () => {
    expect(named('Ingress', 'bot-hooks')?.spec.rules).toEqual([
      { host: 'hooks.example', http: { paths: [expect.objectContaining({ path: '/hooks/', pathType: 'Prefix' })] } },
    ])
  })
})

describe('settings and secrets that docs/deploying.md writes', () => {
  const written = [...read('docs/deploying.md').matchAll(/^# (deploy\/\S+)$/gm)].map(([, path = '']) => path)

  test.each([...written, 'deploy/compose/secrets', 'deploy/compose/tls', 'deploy/kubernetes/bot-secrets.env'])(
    '%s is neither committed nor copied into an image',
    path => {
      const isIgnored = (list: string) =>
        read(list)
          .split('\n')
          .some(pattern => matchesGlob(path, pattern))
      expect([isIgnored('.gitignore'), isIgnored('.dockerignore')]).toEqual([true, true])
    },
  )
})

describe('names of packages', () => {
  test('nobody is led to a package of our name on a public registry', () => {
    const files = globSync('{*.md,docs/**/*.md,examples/**/*.md,deploy/**/*}', { cwd: root }).filter(path =>
      /\.\w+$/.test(path),
    )
    const installs = /\bnpm (?:install|i|exec|x)\b[^`\n]*\s@?postern(?:@\S*)?(?=[\s`]|$)|\bnpx (?:-\S+ )*postern\b/m
    expect(files.length).toBeGreaterThan(30)
    expect(files.filter(path => installs.test(read(path)))).toEqual([])
  })
})

const exposure = (unit: string) =>
  spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', join(root, unit)], { encoding: 'utf8' })
const isAnalysed = exposure('deploy/systemd/postern-relay.service').status !== null
if (!isAnalysed) console.warn('systemd-analyze is not installed here: how exposed the units are is not looked at')

test.skipIf(!isAnalysed).each(globSync('deploy/systemd/*.service', { cwd: root }))(
  '%s is exposed by at most 1.5',
  unit => {
    const level = /Overall exposure level for \S+: ([\d.]+)/.exec(exposure(unit).stdout)?.[1]
    expect(Number(level)).toBeLessThanOrEqual(1.5)
  },
)
