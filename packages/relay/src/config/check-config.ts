// Checks relay settings without starting a relay (used by the doctor).
import { isForThisMachine, publicHostsIn } from '../accounts/audience.ts'
import { readAppFiles } from '../http/app-files.ts'
import type { RelayConfig } from './config.ts'

/** Throws the error that the start would throw. Returns the configured public hosts. */
export function startableHosts({ listen, publicHosts, app }: RelayConfig): string[] {
  if (app !== undefined) readAppFiles(app)
  return [...publicHostsIn(listen, publicHosts)]
}

/** The relay is reachable from other machines. */
export const isPublic = ({ listen, publicHosts }: RelayConfig): boolean => !isForThisMachine(listen, publicHosts)
