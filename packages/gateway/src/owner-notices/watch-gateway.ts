// Where a gateway's problems are found: its webhook, updates, disk, hooks, links and certificates.
import { statfsSync } from 'node:fs'
import type { Client, Log } from '@postern/core'
import { type ChatId, type Clock, isCoded, ownerNoticeLimits } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'
import type { HookAdmin } from '../hooks/hook-admin.ts'
import { wordsIn } from '../hooks/words/words.ts'
import type { Updates } from '../updates/updates.ts'
import { OwnerNotices } from './owner-notices.ts'
import type { ProblemSources, VolumeSpace } from './problems.ts'
import { ServedCertificates } from './served-certificates.ts'

export type WatchedGateway = {
  settings: Pick<GatewaySettings, 'alertmanager' | 'botOwners' | 'dataDir' | 'hooksUrl' | 'language'>
  updates: Pick<Updates, 'webhookFailures' | 'webhookUrl' | 'waiting'>
  /** Absent without HOOKS_URL. */
  hooks: Pick<HookAdmin, 'refusing'> | undefined
  clock: Clock
  log: Log
}

export function watchGateway(client: Client, { settings, updates, hooks, clock, log }: WatchedGateway): OwnerNotices {
  const served = new ServedCertificates(clock)
  const sources: ProblemSources = {
    webhookFailures: () => updates.webhookFailures(),
    waitingUpdates: () => updates.waiting(),
    disk: () => diskSpace(settings.dataDir),
    refusingHooks: () => hooks?.refusing().map(hook => ({ ...hook, chat: chatName(client, hook.chat) })) ?? [],
    expiringInvites: () => expiringInvites(client, clock.nowMs()),
    certificates: gone => served.look(addressesOf({ client, settings, updates }), gone),
  }
  return new OwnerNotices(client, {
    owners: settings.botOwners,
    sources,
    words: wordsIn[settings.language].owners,
    clock,
    log,
  })
}

type AddressParts = {
  client: Pick<Client, 'relayUrl'>
  settings: Pick<GatewaySettings, 'alertmanager' | 'hooksUrl'>
  updates: Pick<Updates, 'webhookUrl'>
}

/** The addresses without which the bot, or a sender of its hooks, does not work. */
export const addressesOf = ({ client, settings: { alertmanager, hooksUrl }, updates }: AddressParts): string[] =>
  [client.relayUrl, updates.webhookUrl(), hooksUrl, ...(alertmanager?.urls ?? [])].filter(url => url !== undefined)

function diskSpace(directory: string): VolumeSpace {
  const { bavail, blocks, bsize } = statfsSync(directory)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

/** Undefined when the bot is no longer in the chat. */
function chatName(client: Client, chat: ChatId): string | undefined {
  try {
    return client.chats.get(chat).name
  } catch (error) {
    if (isCoded(error, 'chat-not-found')) return undefined
    throw error
  }
}

/** Links for several people that were made to last: those for one person, or for a day, expire as they should. */
function expiringInvites(client: Client, nowMs: number): { id: string; expiresTs: number }[] {
  const { inviteExpiresWithinMs, inviteLifeMsMin } = ownerNoticeLimits
  return client.invites
    .list({ expiresBeforeTs: nowMs + inviteExpiresWithinMs })
    .flatMap(({ id, ts, uses, used, expiresTs }) => {
      if (expiresTs === undefined || uses === 1 || (uses !== undefined && used >= uses)) return []
      return expiresTs - ts < inviteLifeMsMin ? [] : [{ id, expiresTs }]
    })
}
