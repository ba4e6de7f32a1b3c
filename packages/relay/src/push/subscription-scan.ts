// The scan of all subscriptions for devices to push to: one at a time.
export class SubscriptionScan {
  #after: string | undefined
  #isDue = true

  /** One that is under way may have passed what is looked for: then another one follows it. */
  ask(): void {
    this.#isDue = true
  }

  restart(): void {
    this.#isDue = false
    this.#after = ''
  }

  /** The position of the next page. Undefined if no scan is under way or due. */
  page(): string | undefined {
    if (this.#after === undefined && this.#isDue) this.restart()
    return this.#after
  }

  /** `next`: the position of the page after that, if there is one. */
  lookedAt(next: string | undefined): void {
    this.#after = next
  }
}
