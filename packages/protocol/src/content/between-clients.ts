// The bodies of messages between clients, which no person sees.
import * as z from 'zod/mini'
import { count, groupId, linkToken } from './content-fields.ts'

/** A secret that the sender shares with every member in that epoch of a group. */
export const epochMark = z.object({ group: groupId, epoch: count, mark: z.string().check(z.length(22)) })

/** Asks another member, in private, to add the sender to a group again because the sender lost its keys. */
export const rejoinBody = z.object({ kind: z.literal('rejoin'), group: groupId })

/** Sent in private to another member of a group, to ask for that member's own mark. */
export const compareBody = z.extend(epochMark, { kind: z.literal('compare') })

/** In private to an admin who has made a link to a group: the sender, whose name is in the hello, asks for a place in it. */
export const joinAskBody = z.object({ kind: z.literal('join-ask'), token: linkToken })
/** The admin's answer. An account that is added is welcomed instead. */
export const joinAnswerBody = z.object({
  kind: z.literal('join-answer'),
  token: linkToken,
  outcome: z.enum(['declined']),
})
