// The common parts of calls: their context, and the parsing of their arguments.
import { appLimits, type ErrorCode, isCoded, utf8 } from '@postern/protocol'
import type { AccountLifecycle } from '../account/account-lifecycle.ts'
import type { Account } from '../account/open-account.ts'
import type { WorkerPlatform } from '../platform.ts'
import type { AppSettings } from '../settings.ts'
import type { Shape } from '../shapes.ts'

/** The chat that a page shows, from its last report. */
export type PageSight = { chat?: string; focused: boolean }

/** `key`: made by the page. The same call repeated under it counts once. */
export type CallGiven = { key: string; look: (sight: PageSight) => void }

export type Worker = { home: AccountLifecycle; settings: AppSettings; platform: WorkerPlatform }

export type AnswerCall<Answer> = (worker: Worker, asked: unknown, given: CallGiven) => Promise<Answer>

/** For calls that need no account. */
export const early =
  <Asked, Answer>(
    shape: Shape<Asked>,
    run: (worker: Worker, asked: Asked, given: CallGiven) => Promise<Answer>,
  ): AnswerCall<Answer> =>
  async (worker, asked, given) =>
    await run(worker, shape(asked, 'asked'), given)

/** For calls that need one: while it is being opened, the call waits. */
export const inAccount =
  <Asked, Answer>(
    shape: Shape<Asked>,
    run: (account: Account, asked: Asked, given: CallGiven) => Promise<Answer>,
  ): AnswerCall<Answer> =>
  async ({ home }, asked, given) => {
    const read = shape(asked, 'asked')
    return await run(await home.opened(), read, given)
  }

export const WITHIN = { timeoutMs: appLimits.callTimeoutMs }

/** For a change that a repeat, or another admin, finds made: this error says so. */
export async function unlessDone(change: Promise<unknown>, code: ErrorCode): Promise<void> {
  await change.catch((error: unknown) => {
    if (!isCoded(error, code)) throw error
  })
}

/** Core executes it once under the page's key. */
export const once = ({ key }: CallGiven, asked: object) => ({
  ...WITHIN,
  idempotency: { key, request: utf8(JSON.stringify(asked)) },
})
