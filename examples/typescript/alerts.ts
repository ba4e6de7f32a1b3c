// Alerts: checks addresses, and writes to everybody who has a chat with the bot when one fails, and when it recovers.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, Bot } from './bot.ts'

const { EVERY_SECONDS = '60', ALERTS_FILE = 'alerts.json' } = process.env
type Incident = { id: string; fault: string }

/** It receives nothing, so it is never started. Its calls wait for the gateway as long as it is away. */
const { api } = new Bot({ retryForMs: Number.POSITIVE_INFINITY })

/** By address. In a file, because a restarted bot cannot ask anybody what it has sent before. */
const kept = existsSync(ALERTS_FILE) ? readFileSync(ALERTS_FILE, 'utf8') : '[]'
const incidents = new Map(JSON.parse(kept) as [string, Incident][])

function keepIncidents(): void {
  // If it were killed during the write, it would find half a file at its next start.
  writeFileSync(`${ALERTS_FILE}.new`, JSON.stringify([...incidents]))
  renameSync(`${ALERTS_FILE}.new`, ALERTS_FILE)
}

async function findFault(address: string): Promise<string | undefined> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  await answer?.body?.cancel()
  if (answer) return answer.ok ? undefined : `answers ${answer.status}`
  return 'does not answer'
}

/**
 * A chat that got the message under this key does not get it again while keys are remembered, for a day; a newer chat
 * gets it now.
 */
async function tellAll(text: string, key: string): Promise<void> {
  for (const { id, state } of await api.listChats())
    if (state === 'active') await api.sendMessage({ chat: id, text }, { key: `${key}-${id}` }).catch(sayRefusal)
}

/** A chat that refuses must not end the alerts of the others. */
function sayRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
  console.error(error.message)
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
