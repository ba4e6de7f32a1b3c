// Loaded before a part: its clock is off by the number of milliseconds in a file, from the first moment on and as the
// file changes.
import { readFileSync, watchFile } from 'node:fs'

const path = process.env['CAMPAIGN_CLOCK_FILE'] ?? ''
const LOOK_EVERY_MS = 50
const RealDate = Date
let shiftMs = 0

const look = () => {
  const read = Number(readFileSync(path, 'utf8'))
  if (Number.isSafeInteger(read)) shiftMs = read
}

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs)
    else super(...given)
  }

  static now() {
    return RealDate.now() + shiftMs
  }
}

look()
globalThis.Date = ShiftedDate
// Polled, not signalled: a signal would end a process that is not ready for it yet.
watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, look)
