// The problems that owners hear about: for each, whether it holds now, about what, and for how long it must hold.
import { gatewayLimits, HOUR_MS, ownerNoticeLimits } from '@postern/protocol'
import type { RefusingHook } from '../hooks/hook-admin.ts'
import type { OwnerWords } from '../hooks/words/russian-owners.ts'
import type { WaitingUpdates } from '../updates/updates.ts'

/** The parts of the gateway in which problems are found. */
export type ProblemSources = {
  /** Failed attempts in a row; undefined while the webhook is paused. */
  webhookFailures: () => number | undefined
  waitingUpdates: () => WaitingUpdates
  disk: () => VolumeSpace
  refusingHooks: () => (Omit<RefusingHook, 'chat'> & { chat: string | undefined })[]
  expiringInvites: () => { id: string; expiresTs: number }[]
  certificates: (gone: AbortSignal) => Promise<AddressCertificate[]>
}

/** Without a certificate it is not known which one the address serves. */
export type AddressCertificate = {
  host: string
  certificate: { expiresMs: number; leftMs: number; lifeMs: number } | undefined
}

export type VolumeSpace = { freeBytes: number; sizeBytes: number }

/**
 * `subject` is what the problem is about, and empty for a problem that exists once. Without a `fact` it is not known
 * whether it holds: then it neither begins nor ends.
 */
export type ProblemFinding = { subject: string; fact: string | undefined }

type Findings = ProblemFinding[] | undefined

export type OwnerProblem = {
  heldForMs: number
  /** Undefined if it cannot be known now: then nothing begins and nothing ends. */
  check: (sources: ProblemSources, words: OwnerWords, gone: AbortSignal) => Findings | Promise<Findings>
}

const MIB = 1024 * 1024

const shownTime = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

const once = (fact: string): ProblemFinding[] => [{ subject: '', fact }]

export const problems = {
  webhook: {
    heldForMs: ownerNoticeLimits.webhookFailsForMs,
    check: (sources, words) => {
      const failures = sources.webhookFailures()
      if (failures === undefined) return undefined
      return failures === 0 ? [] : once(words.webhook.fact({ failures, waiting: sources.waitingUpdates().count }))
    },
  },
  updates: {
    heldForMs: 0,
    check: (sources, words) => {
      const { count, oldestMs } = sources.waitingUpdates()
      const isOld = oldestMs > ownerNoticeLimits.updatesAgeMs
      if (!isOld && count <= ownerNoticeLimits.updatesWaitingMax) return []
      // An update that is due stays for a minute until it is dropped.
      const hours = Math.floor(Math.min(oldestMs, gatewayLimits.updatesKeptMs) / HOUR_MS)
      return once(words.updates.fact({ count, hours }))
    },
  },
  disk: {
    heldForMs: 0,
    check: (sources, words) => {
      const { freeBytes, sizeBytes } = sources.disk()
      const { diskFreeShareMin, diskFreeBytesMin } = ownerNoticeLimits
      if (freeBytes >= Math.min(sizeBytes * diskFreeShareMin, diskFreeBytesMin)) return []
      const percent = Math.floor((100 * freeBytes) / sizeBytes)
      return once(words.disk.fact({ freeMib: Math.floor(freeBytes / MIB), percent }))
    },
  },
  hooks: {
    heldForMs: 0,
    check: (sources, words) => {
      const { hookRefusalsMin, hookRefusalsOverMs, nameCharsMax: charsMax } = ownerNoticeLimits
      return sources
        .refusingHooks()
        .filter(({ count, firstMs, lastMs }) => count >= hookRefusalsMin && lastMs - firstMs >= hookRefusalsOverMs)
        .map(({ id, chat, count }) => ({ subject: id, fact: words.hooks.fact({ hook: id, chat, count, charsMax }) }))
    },
  },
  invites: {
    heldForMs: 0,
    check: (sources, words) =>
      sources.expiringInvites().map(({ id, expiresTs }) => {
        return { subject: id, fact: words.invites.fact({ id, expires: shownTime(expiresTs) }) }
      }),
  },
  certificates: {
    heldForMs: 0,
    check: async (sources, words, gone) => {
      const served = await sources.certificates(gone)
      return served.flatMap(({ host, certificate }): ProblemFinding[] => {
        if (!certificate) return [{ subject: host, fact: undefined }]
        const { expiresMs, leftMs, lifeMs } = certificate
        const { certificateLeftMs, certificateLeftShare } = ownerNoticeLimits
        if (leftMs >= Math.min(certificateLeftMs, lifeMs * certificateLeftShare)) return []
        const ending = { host, ends: shownTime(expiresMs), isExpired: leftMs <= 0 }
        return [{ subject: host, fact: words.certificates.fact(ending) }]
      })
    },
  },
} satisfies Record<string, OwnerProblem>

export type ProblemName = keyof typeof problems

export const problemNames = Object.keys(problems) as ProblemName[]
