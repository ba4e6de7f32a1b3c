// How long the link waits for what.

export const linkLimits = {
  /** A page that follows asks the core for a sign of life this often. One without an answer is silence. */
  followerPingMs: 3_000,
  /** From "Use here" until the lock is taken from a page that does not answer. */
  handOverMs: 3_000,
  /** The leading page asks this often. Words to numbers (scrypt) and a large restore keep a worker busy for seconds. */
  leaderPingMs: 10_000,
  /** So many unanswered ones in a row are no longer a busy worker. */
  silentPingsMax: 3,
  /** Between two starts of a worker that fails, doubled each time. */
  restartPauseMs: 500,
  restartPauseMsMax: 30_000,
  /** A worker that lived so long has not failed at its start. */
  steadyMs: 60_000,
  /** After so many failures in a row a person is told. */
  restartsMax: 4,
  /** A page that was to be loaded anew and is still there tries again, twice as late each time: a slow server must be able to answer. */
  reloadAgainMs: 2_000,
} as const
