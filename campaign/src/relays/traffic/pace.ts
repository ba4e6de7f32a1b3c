// The waits and the concurrency of people while relays are killed.

export const relayTraffic = {
  /** An answer, or a login: after this time the connection is dropped, and the next relay is dialled. */
  answerWithinMs: 4_000,
  dialAgainMs: 100,
  /** After a fault everybody is in again, and every relay has reached its database and its store of blobs. */
  backWithinMs: 120_000,
  /** Between two tries of the same deed. */
  tryAgainMs: 60,
  inFlightMax: 4,
  pauseMs: 220,
  /** Concurrent commits of one epoch. */
  racers: 5,
  /** Mailboxes that are read, and people who register, concurrently. */
  atOnce: 16,
  triesMax: 20,
  blobBytesMax: 20_000,
  uploadWithinMs: 10_000,
  /** Before the next fault something has to be accepted; this many checks. */
  flowLooks: 100,
  settleWithinMs: 600_000,
} as const
