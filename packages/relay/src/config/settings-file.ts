// A settings file with one NAME=value per line, named like the environment variables.
// The relay reads it again on SIGHUP.
import { readFileSync } from 'node:fs'
import { systemCodeOf } from '@postern/protocol'
import { wrong } from './values.ts'

/** Throws `bad-field`. `isKnown`: a mistyped name must not be ignored silently. */
export function readSettingsFile(path: string, isKnown: (name: string) => boolean): Record<string, string> {
  const lines = textOf(path)
    .split('\n')
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map(({ line, number }) => settingIn(line, `${path}:${number}`, isKnown)))
}

function settingIn(line: string, place: string, isKnown: (name: string) => boolean): [string, string] {
  const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
  if (name === '') throw wrong(place, 'must be NAME=value, as in POSTERN_RELAY_REGISTRATION=invite')
  if (!isKnown(name)) throw wrong(place, `${name} is not a setting, or not one that this file can have`)
  const [, quoted] = /^"(.*)"$/.exec(value) ?? /^'(.*)'$/.exec(value) ?? []
  return [name, quoted ?? value]
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw wrong('--settings', `${path} cannot be read (${systemCodeOf(cause)})`)
  }
}
