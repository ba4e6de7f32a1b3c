// How long people wait, and how much they do at once, while relays are killed.

export const relayTraffic = {
  /** An answer, or a login: past that its connection is given up, and the next relay is dialled. */
  answerWithinMs: 4_000,
  dialAgainMs: 100,
  /** Between two tries of the same deed. */
  tryAgainMs: 60,
  inFlightMax: 4,
  pauseMs: 220,
  /** Commits of one epoch that are sent at once. */
  racers: 5,
  /** Mailboxes that are read, and people who register, at one time. */
  atOnce: 16,
  triesMax: 20,
  /** Before the next fault something has to be accepted; looked for so often. */
  flowLooks: 100,
  settleWithinMs: 180_000,
} as const
