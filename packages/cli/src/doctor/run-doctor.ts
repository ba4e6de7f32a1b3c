// `postern doctor`: checks all that a gateway or a relay needs, changes nothing, and prints one line for each finding.
import type { Writable } from 'node:stream'
import { type Clock, type Env, systemClock } from '@postern/protocol'
import { type DoctorSettings, readDoctorSettings } from './doctor-settings.ts'
import type { Diagnosis } from './finding.ts'
import { gatewayCase, gatewayChecks } from './gateway-doctor.ts'
import { type Machine, thisMachine } from './machine.ts'
import { relayCase, relayChecks } from './relay-doctor.ts'
import { findingLine, findingsJson, hasFailed } from './report.ts'
import { runChecks } from './run-checks.ts'
import { trustAuthorities } from './trust-authorities.ts'

/** `app`: the folder of the web app that a relay would serve. */
export type DoctorParts = { clock: Clock; machine: Machine; output: Writable; app: string | undefined }

/** Returns the exit code. Throws `UsageError`. */
export async function runDoctor(argv: readonly string[], env: Env, app?: string): Promise<number> {
  // A reader that closes the pipe after the first lines ends nothing here.
  process.stdout.on('error', () => undefined)
  const parts = { clock: systemClock, machine: thisMachine(), output: process.stdout, app }
  const settings = readDoctorSettings(argv, env)
  trustAuthorities(settings.env)
  const code = await examine(settings, parts)
  endLateAnyway(code)
  return code
}

export async function examine(settings: DoctorSettings, parts: DoctorParts): Promise<number> {
  const { output } = parts
  const findings: Diagnosis[] = []
  for await (const finding of findingsOf(settings, parts)) {
    findings.push(finding)
    if (!settings.isJson) output.write(`${findingLine(finding)}\n`)
  }
  if (settings.isJson) output.write(`${findingsJson(findings)}\n`)
  return hasFailed(findings) ? 1 : 0
}

async function* findingsOf(settings: DoctorSettings, parts: DoctorParts): AsyncGenerator<Diagnosis> {
  if (settings.of === 'gateway') yield* runChecks(gatewayChecks, await gatewayCase(settings, parts))
  else yield* runChecks(relayChecks, await relayCase(settings, parts))
}

const END_WITHIN_MS = 1000

/** A name that does not resolve keeps the process alive until the system gives up: everything is printed by then. */
function endLateAnyway(code: number): void {
  setTimeout(() => process.exit(code), END_WITHIN_MS).unref()
}
