// The timeouts of the link.

export const linkLimits = {
  /** A following page pings the core this often. An unanswered ping is silence. */
  followerPingMs: 3_000,
  /** From "Use here" until the lock is taken from a page that does not answer. */
  handOverMs: 3_000,
  /**
   * The leading page pings this often. Key derivation from words (scrypt) and a large restore keep a worker busy for
   * seconds.
   */
  leaderPingMs: 10_000,
  /** More unanswered pings in a row mean more than a busy worker. */
  silentPingsMax: 3,
  /** Between two starts of a failing worker, doubled each time. */
  restartPauseMs: 500,
  restartPauseMsMax: 30_000,
  /** A worker that lived this long has not failed at its start. */
  steadyMs: 60_000,
  /** After this many failures in a row the person is informed. */
  restartsMax: 4,
  /**
   * A page that should be reloaded and still exists tries again, with doubled delays: a slow server must be able to
   * answer.
   */
  reloadAgainMs: 2_000,
} as const
