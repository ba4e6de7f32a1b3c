// The files of deploy/: they name this version and existing settings, keep the API private, and sandbox their processes.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

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
    const settings = ['packages/gateway/src/config.ts', 'docs/relay.md'].map(read).join('\n')
    const isRead = (name: string) => settings.includes(`'${name}'`) || settings.includes(`\`${name}\``)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter(name => !isRead(name))).toEqual([])
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
