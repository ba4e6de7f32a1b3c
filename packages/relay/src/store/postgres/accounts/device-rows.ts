// Devices: the newest connection of each across all relays, and whether it may connect at all.
import { type AccountId, CodedError, postgresLimits } from '@postern/protocol'
import { type DeviceClaim, type DeviceStanding, type Fence, revokedRefusal } from '../../fence.ts'
import { BatchQueue } from '../connection/batch-queue.ts'
import type { Postgres } from '../connection/database.ts'
import type { Hints } from '../connection/hints.ts'
import type { Queries } from '../connection/queries.ts'

type ClaimRow = { generation: number | null; serial: number | null; isBanned: boolean | null; isBusy: boolean }
type StandingRow = { device: string; generation: number; account: AccountId; serial: number }
type ClaimQueue = BatchQueue<DeviceClaim, ClaimRow>

const CLAIM = `SELECT generation, serial, is_banned AS "isBanned", is_busy AS "isBusy"
  FROM claim_devices($1::text[], $2::text[], $3::bigint[], $4, $5)`

export class PgDeviceRows {
  readonly #database: Postgres
  readonly #hints: Hints
  readonly #claims: ClaimQueue
  /** Claims that wait for an older connection's writes in flight. All other claims pass them. */
  readonly #busyClaims: ClaimQueue
  /** How many of these claims a device has. */
  readonly #busy = new Map<string, number>()

  constructor(database: Postgres, hints: Hints) {
    this.#database = database
    this.#hints = hints
    const line = database.line()
    const keyOf = ({ device }: DeviceClaim): string => device
    const batchMax = postgresLimits.batchClaims
    const together = {
      run: (batch: readonly DeviceClaim[]) => line.use(on => this.#claimAll(on, batch)),
      batchMax,
      keyOf,
    }
    this.#claims = new BatchQueue(together)
    const waits = { waits: true }
    this.#busyClaims = new BatchQueue({ run: batch => this.#claimAll(database, batch, waits), batchMax, keyOf })
  }

  /** `signal`: the connection is closed. A claim that is not sent by then is never made. */
  async claim(claim: DeviceClaim, signal?: AbortSignal): Promise<Fence> {
    const { device } = claim
    // After the device's older claims: the latest one must become the newest connection.
    const first = this.#busy.has(device) ? undefined : await this.#claims.ask(claim, signal)
    const row = first && !first.isBusy ? first : await this.#claimBusy(claim, signal)
    if (row.isBanned) throw new CodedError('account-banned')
    if (row.serial === null) throw new CodedError('account-unknown')
    if (row.generation === null) throw revokedRefusal(row.serial)
    return { device, generation: row.generation }
  }

  async #claimBusy(claim: DeviceClaim, signal: AbortSignal | undefined): Promise<ClaimRow> {
    const { device } = claim
    this.#busy.set(device, (this.#busy.get(device) ?? 0) + 1)
    try {
      return await this.#busyClaims.ask(claim, signal)
    } finally {
      const left = (this.#busy.get(device) ?? 1) - 1
      if (left > 0) this.#busy.set(device, left)
      else this.#busy.delete(device)
    }
  }

  #claimAll(queries: Queries, batch: readonly DeviceClaim[], { waits } = { waits: false }): Promise<ClaimRow[]> {
    return queries.rows<ClaimRow>(CLAIM, [
      batch.map(({ device }) => device),
      batch.map(({ account }) => account),
      batch.map(({ serial }) => serial),
      this.#hints.own,
      waits,
    ])
  }

  async standingOf(devices: readonly string[]): Promise<DeviceStanding[]> {
    const rows = await this.#database.rows<StandingRow>(
      `SELECT key AS device, generation, id AS account, account.serial
       FROM device JOIN account ON account.num = device.account WHERE key = ANY ($1::text[])`,
      [devices],
    )
    return rows.map(({ device, generation, ...of }) => ({ ...of, fence: { device, generation } }))
  }
}
