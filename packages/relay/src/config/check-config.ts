// Whether a relay would start with these settings, and whom it would serve: for who looks before it is started.
import { isForThisMachine, publicHostsIn } from '../accounts/audience.ts'
import { readAppFiles } from '../http/app-files.ts'
import type { RelayConfig } from './config.ts'

/** Throws what the start would be refused with. Gives the hosts by which clients are let in, as far as they were set. */
export function startableHosts({ listen, publicHosts, app }: RelayConfig): string[] {
  if (app !== undefined) readAppFiles(app)
  return [...publicHostsIn(listen, publicHosts)]
}

/** Others than this machine reach it. */
export const isPublic = ({ listen, publicHosts }: RelayConfig): boolean => !isForThisMachine(listen, publicHosts)
