// Start links of bots: the command that begins a chat, the payload that the bot reads behind it, and the mark of a link.
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'

/** A person sends it to begin a chat with a bot. If it comes by a start link, the bot reads the payload behind it. */
export const START_COMMAND = '/start'

/** The last character of a start link. Other invite links end with A, Q, g or w. */
export const START_LINK_END = 's'

/** Whether an invite link is a start link; its token alone says the same. */
export const isStartLink = (link: string): boolean => link.endsWith(START_LINK_END)

/** As in Telegram's links, whose bots split the text at the space. */
export const startPayload = new RegExp(`^[A-Za-z0-9_-]{1,${contentLimits.startPayloadCharsMax}}$`)

export const startPayloadFault = (payload: string): Fault =>
  startPayload.test(payload)
    ? undefined
    : `must have 1 to ${contentLimits.startPayloadCharsMax} characters of A-Z, a-z, 0-9, _ and -`
