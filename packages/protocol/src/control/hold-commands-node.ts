// `hold` and `release`: stop writes to a database while another process copies its file.
import { randomUUID } from 'node:crypto'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock, Timer } from '../clock.ts'
import { CodedError } from '../errors.ts'
import { backupLimits } from '../limits.ts'
import { Deferred } from '../waiting/deferred.ts'
import type { ControlCommands, ControlTalk } from './control-server-node.ts'

export type Holdable = {
  /** Returns a function that ends the hold. The database file does not change in between. */
  hold(): Promise<() => void>
  /** Grows meanwhile. */
  logPath: string
  clock: Clock
}

type Hold = { id: string; wait: Deferred }

/**
 * `hold` answers `{held}` and lasts until `release` names it, its caller disconnects, or the log has grown too long. An
 * answer to `release` proves that the file did not change from one to the other.
 */
export function holdCommands(holdable: Holdable): ControlCommands {
  let held: Hold | undefined
  return {
    hold: async (_, talk) => {
      if (held) throw new CodedError('backup-running')
      const hold = { id: randomUUID(), wait: new Deferred() }
      held = hold
      try {
        await keepHeld(holdable, hold, talk)
      } finally {
        held = undefined
      }
      return {}
    },
    release: async given => {
      if (!held || held.id !== given['held'] || held.wait.isSettled) throw new CodedError('backup-overtaken')
      held.wait.resolve()
      return {}
    },
  }
}

async function keepHeld(holdable: Holdable, { id, wait }: Hold, talk: ControlTalk): Promise<void> {
  const release = await holdable.hold()
  try {
    wait.onAbort(talk.signal, () => wait.resolve())
    talk.progress({ held: id })
    watchLog(holdable, wait, talk)
    await wait.promise
  } finally {
    release()
  }
}

/**
 * A caller that hangs would let the log grow until the disk is full, and then no message could be written. Progress
 * lines reveal a killed caller: it sends nothing anyway, so its silence shows nothing.
 */
function watchLog({ logPath, clock }: Holdable, wait: Deferred, talk: ControlTalk): void {
  let timer: Timer | undefined
  const look = () => {
    const logBytes = bytesOf(logPath)
    if (logBytes > Math.min(backupLimits.heldLogBytesMax, freeBytesBeside(logPath)))
      return wait.reject(new CodedError('backup-overtaken'))
    talk.progress({ log_bytes: logBytes })
    timer = clock.setTimer(backupLimits.heldLogLookEveryMs, look)
  }
  wait.onSettled(() => timer?.cancel())
  look()
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function freeBytesBeside(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}
