// How a page asks the leading one to give up the core. A frozen tab does not answer; a hidden one can do without the core.
import type { Channel, LinkEnvironment } from './environment.ts'

const CHANNEL = 'postern-leader'

/**
 * `page`: it hears nothing. `person`: somebody pressed "Use here". `build`: the leading page has older code, and keeps
 * it.
 */
export type Asker = 'page' | 'person' | 'build'
type Wish = { givesUp: Asker }

export class Takeover {
  readonly #channel: Channel

  constructor(around: LinkEnvironment, giveUp: () => void) {
    this.#channel = around.openChannel<Wish>(CHANNEL, ({ givesUp }) => {
      if (givesUp !== 'page' || !around.isVisible()) giveUp()
    })
  }

  ask(givesUp: Asker): void {
    this.#channel.postMessage({ givesUp } satisfies Wish)
  }

  stop(): void {
    this.#channel.close()
  }
}
