// `systemctl` by hand: reads a unit with its drop-ins, and starts its ExecStart with its environment and credentials.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine, Manager, Part } from './machine.ts'

type Settings = readonly (readonly [name: string, value: string])[]

export const isVerified = spawnSync('systemd-analyze', ['--version']).status === 0

export function systemctl(machine: Machine): Manager {
  const folder = join(machine.root, 'etc/systemd/system')
  const run = async (units: readonly string[]): Promise<string> => {
    for (const unit of units) await machine.start(unit, partOf(unit, { machine, folder }))
    return ''
  }
  return async ([verb, ...words]) => {
    if (verb === 'daemon-reload') return verify(folder, machine)
    if (verb === 'enable' && words[0] === '--now') return await run(words.slice(1))
    if (verb === 'restart') return await run(words)
    throw new Error(`systemctl ${verb} is not known here`)
  }
}

type Place = { machine: Machine; folder: string }

function partOf(unit: string, { machine, folder }: Place): Part {
  const [name = '', instance = ''] = unit.split('@')
  const file = `${instance === '' ? name : `${name}@`}.service`
  const credentials = join(machine.root, 'run/credentials', unit)
  mkdirSync(credentials, { recursive: true })
  const specifiers: Record<string, string> = {
    '%i': instance,
    '%S': join(machine.root, 'var/lib'),
    '%C': join(machine.root, 'var/cache'),
    '%d': credentials,
  }
  const text = [join(folder, file), ...globSync(join(folder, `${unit}.service.d/*.conf`))]
    .map(path => readFileSync(path, 'utf8'))
    .join('\n')
    .replaceAll(/%[iSCd]/g, specifier => specifiers[specifier] ?? specifier)
  const settings = settingsIn(machine.replaceIn(text))
  const all = (key: string): string[] => settings.flatMap(([name, value]) => (name === key ? [value] : []))
  for (const directory of all('StateDirectory').flatMap(value => value.split(' ')))
    mkdirSync(join(machine.root, 'var/lib', directory), { recursive: true, mode: 0o700 })
  for (const credential of all('LoadCredential')) {
    const [id = '', path = ''] = credential.split(':')
    copyFileSync(path, join(credentials, id))
  }
  const own = all('Environment').flatMap(value => settingsIn(value.replaceAll(' ', '\n')))
  // Files count more than the unit, as systemd reads them.
  const env = Object.fromEntries([...own, ...all('EnvironmentFile').flatMap(path => fileSettings(path, machine))])
  return { words: (all('ExecStart')[0] ?? '').split(' '), env }
}

/** A missing file prevents the start, unless a dash is before its path. */
function fileSettings(value: string, machine: Machine): Settings {
  const path = value.replace(/^-/, '')
  return value.startsWith('-') && !existsSync(path) ? [] : settingsIn(machine.replaceIn(readFileSync(path, 'utf8')))
}

const settingsIn = (text: string): Settings =>
  [...text.matchAll(/^([A-Za-z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])

/** With the paths of this machine: `verify` also asks whether the program of ExecStart exists. */
function verify(folder: string, machine: Machine): string {
  if (!isVerified) return ''
  const copies = join(machine.root, 'verified')
  mkdirSync(copies, { recursive: true })
  const units = globSync(join(folder, '*.{service,timer}')).map(path => {
    const copy = join(copies, path.slice(folder.length + 1).replace('@.', '@helper.'))
    writeFileSync(copy, machine.replaceIn(readFileSync(path, 'utf8')))
    return copy
  })
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' })
  const ours = stderr.split('\n').filter(line => line.includes('postern'))
  if (status !== 0 || ours.length > 0) throw new Error(`systemd-analyze verify: ${stderr}`)
  return ''
}
