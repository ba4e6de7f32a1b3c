// The work and the output that one rendering may take. A loop over a large body ends here.
import { charCount, hookLimits } from '@postern/protocol'
import { templateFault } from './template-fault.ts'

const { stepsMax, stepChars, outputCharsMax } = hookLimits.template

export class RenderBudget {
  #stepsLeft = stepsMax
  #charsLeft = outputCharsMax

  spend(steps = 1): void {
    this.#stepsLeft -= steps
    if (this.#stepsLeft < 0) throw templateFault(`must take at most ${stepsMax} steps, and takes more for this body`)
  }

  /** A long text takes more work. */
  spendOnChars(chars: number): void {
    this.spend(Math.floor(chars / stepChars))
  }

  write(text: string): void {
    // Counting a megabyte would take a while: a character has at most two code units.
    this.#charsLeft -= text.length > 2 * outputCharsMax ? text.length : charCount(text)
    if (this.#charsLeft < 0)
      throw templateFault(`must write at most ${outputCharsMax} characters, and writes more for this body`)
  }
}
