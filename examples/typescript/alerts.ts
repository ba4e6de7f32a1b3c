// Alerts: looks after addresses, and writes to everybody who has a chat with the bot when one fails, and when it is well again.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { call, sayRefusal } from './bot.ts'

const { EVERY_SECONDS = '60', ALERTS_FILE = 'alerts.json' } = process.env
type Incident = { id: string; fault: string }
type Chat = { id: string; state: 'active' | 'request' | 'left' }

/** By address. In a file, since nobody else tells a bot that was started again what it has said before. */
const kept = existsSync(ALERTS_FILE) ? readFileSync(ALERTS_FILE, 'utf8') : '[]'
const incidents = new Map(JSON.parse(kept) as [string, Incident][])

function keepIncidents(): void {
  // Killed while it writes, it would find half a file at its next start.
  writeFileSync(`${ALERTS_FILE}.new`, JSON.stringify([...incidents]))
  renameSync(`${ALERTS_FILE}.new`, ALERTS_FILE)
}

async function findFault(address: string): Promise<string | undefined> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  await answer?.body?.cancel()
  if (answer) return answer.ok ? undefined : `answers ${answer.status}`
  return 'does not answer'
}

/** Who was told under this key is not told again for a day, as long as keys are remembered; who came since is told now. */
async function tellAll(text: string, key: string): Promise<void> {
  for (const { id, state } of await call<Chat[]>('chats'))
    if (state === 'active')
      await call(`chats/${id}/messages`, { key: `${key}-${id}`, body: { text } }).catch(sayRefusal)
}

async function look(address: string): Promise<void> {
  const fault = await findFault(address)
  if (fault !== undefined && !incidents.has(address)) {
    incidents.set(address, { id: randomUUID(), fault })
    keepIncidents()
  }
  const incident = incidents.get(address)
  if (!incident) return
  await tellAll(`🔴 ${address} ${incident.fault}.`, `${incident.id}-bad`)
  if (fault !== undefined) return
  await tellAll(`🟢 ${address} is well again.`, `${incident.id}-good`)
  incidents.delete(address)
  keepIncidents()
}

for (;;) {
  for (const address of process.argv.slice(2)) await look(address)
  await pause(Number(EVERY_SECONDS) * 1000)
}
