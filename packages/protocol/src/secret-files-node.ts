// Secrets from files: NAME_FILE names a file that contains the value of NAME. Docker, Kubernetes and systemd provide
// secrets as files, and a file is not shown in the environment of the process.
import { readFileSync } from 'node:fs'
import type { Env } from './env.ts'
import { CodedError } from './errors.ts'
import { secretFileLimits } from './limits.ts'
import { systemCodeOf } from './system-faults.ts'

export const secretFileVariable = (name: string): string => `${name}_FILE`

/** The environment with the value of each name that is in a file. Throws `bad-field`, which names the variable. */
export function withSecretFiles(env: Env, names: readonly string[]): Env {
  const read = names.flatMap(name => {
    const variable = secretFileVariable(name)
    const path = env[variable]
    if (!path) return []
    if (env[name]) throw wrong(variable, `cannot be set together with ${name}`)
    return [[name, secretIn(path, variable)] as const]
  })
  return read.length === 0 ? env : { ...env, ...Object.fromEntries(read) }
}

/** Editors and `echo` end a file with a line break, which is not part of the secret. */
function secretIn(path: string, variable: string): string {
  const text = contentOf(path, variable).replace(/[\r\n]+$/, '')
  if (text === '') throw wrong(variable, `the file ${JSON.stringify(path)} is empty`)
  if (text.length > secretFileLimits.charsMax)
    throw wrong(variable, `the file ${JSON.stringify(path)} has more than ${secretFileLimits.charsMax} characters`)
  return text
}

function contentOf(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw wrong(variable, `the file ${JSON.stringify(path)} cannot be read (${systemCodeOf(cause)})`)
  }
}

const wrong = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })
