// What calls have in common: what they are given, and how what was asked is read.
import { appLimits, utf8 } from '@postern/protocol'
import type { AccountLifecycle } from '../account/account-lifecycle.ts'
import type { Account } from '../account/open-account.ts'
import type { WorkerPlatform } from '../platform.ts'
import type { AppSettings } from '../settings.ts'
import type { Shape } from '../shapes.ts'

/** What a page shows, as it has last said. */
export type PageSight = { chat?: string; focused: boolean }

/** `key`: made by the page. The same call asked again under it counts once. */
export type CallGiven = { key: string; look: (sight: PageSight) => void }

export type Worker = { home: AccountLifecycle; settings: AppSettings; platform: WorkerPlatform }

export type AnswerCall<Answer> = (worker: Worker, asked: unknown, given: CallGiven) => Promise<Answer>

/** For what needs no account. */
export const early =
  <Asked, Answer>(
    shape: Shape<Asked>,
    run: (worker: Worker, asked: Asked, given: CallGiven) => Promise<Answer>,
  ): AnswerCall<Answer> =>
  async (worker, asked, given) =>
    await run(worker, shape(asked, 'asked'), given)

/** For what needs one: while it is being opened, the call waits. */
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

/** Core does it once under the page's key. */
export const once = ({ key }: CallGiven, asked: object) => ({
  ...WITHIN,
  idempotency: { key, request: utf8(JSON.stringify(asked)) },
})
