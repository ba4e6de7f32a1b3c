// The command line of `postern doctor`, and the source of the settings that it checks.

import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Env } from '@postern/protocol'
import { parseOptions, UsageError } from '../usage-error.ts'

export type DoctorSettings = { isJson: boolean; isDeep: boolean } & (
  | { of: 'gateway'; env: Env; sendsTest: boolean }
  | { of: 'relay'; env: Env; argv: readonly string[] }
)

const flag = { type: 'boolean' } as const

export function readDoctorSettings(argv: readonly string[], env: Env): DoctorSettings {
  return argv[0] === 'relay' ? relayDoctor(argv.slice(1), env) : gatewayDoctor(argv, env)
}

function gatewayDoctor(argv: readonly string[], env: Env): DoctorSettings {
  const options = { settings: { type: 'string' }, deep: flag, json: flag, 'webhook-test': flag } as const
  const given = parseOptions(argv, options)
  return {
    of: 'gateway',
    isJson: given.json ?? false,
    isDeep: given.deep ?? false,
    sendsTest: given['webhook-test'] ?? false,
    env: given.settings === undefined ? env : { ...env, ...settingsIn(given.settings) },
  }
}

/** As systemd reads it for the unit of a gateway. */
function settingsIn(path: string): Env {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch {
    throw new UsageError(`--settings: ${path} cannot be read`)
  }
}

/** All options but the doctor's own are the relay's: it reports its own option errors. */
const relayDoctor = (argv: readonly string[], env: Env): DoctorSettings => ({
  of: 'relay',
  isJson: argv.includes('--json'),
  isDeep: argv.includes('--deep'),
  env,
  argv: argv.filter(word => word !== '--json' && word !== '--deep'),
})
