// Devices: which connection of each is the newest, over all relays, and whether it may be one at all.
import { type AccountId, CodedError } from '@postern/protocol'
import { type DeviceClaim, type DeviceStanding, type Fence, revokedRefusal } from '../../fence.ts'
import type { Postgres } from '../connection/database.ts'
import type { Hints } from '../connection/hints.ts'

type ClaimRow = { generation: number | null; serial: number | null; isBanned: boolean | null }
type StandingRow = { device: string; generation: number; account: AccountId; serial: number }

export class PgDeviceRows {
  readonly #database: Postgres
  readonly #hints: Hints

  constructor(database: Postgres, hints: Hints) {
    this.#database = database
    this.#hints = hints
  }

  async claim({ device, account, serial }: DeviceClaim): Promise<Fence> {
    const row = await this.#database.one<ClaimRow>(
      'SELECT generation, serial, is_banned AS "isBanned" FROM claim_device_of($1, $2, $3, $4)',
      [device, account, serial, this.#hints.own],
    )
    if (row?.isBanned) throw new CodedError('account-banned')
    if (row?.serial == null) throw new CodedError('account-unknown')
    if (row.generation === null) throw revokedRefusal(row.serial)
    return { device, generation: row.generation }
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
