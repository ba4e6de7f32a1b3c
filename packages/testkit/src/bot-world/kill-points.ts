// The points of a bot's calls at which a test can kill it.

/** `at` counts from now. `kill` receives the name of the point. */
export type KillOrder = { at: number; kill: (point: string) => Promise<void> }

export class KillPoints {
  #passed = 0
  #armed: KillOrder | undefined

  /** How many points the bot has passed in all its lives. */
  get passed(): number {
    return this.#passed
  }

  arm({ at, kill }: KillOrder): void {
    this.#armed = { at: this.#passed + at, kill }
  }

  disarm(): void {
    this.#armed = undefined
  }

  /** Ends after the kill, if the bot is killed here. */
  async pass(point: string): Promise<void> {
    this.#passed += 1
    const armed = this.#armed
    if (armed?.at !== this.#passed) return
    this.#armed = undefined
    await armed.kill(point)
  }
}
