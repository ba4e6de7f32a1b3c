// The benchmark that started this process, seen from inside it.
import { peakRssMib, settledRssMib, watchMemory } from './memory-watch.ts'
import type { Answer, Question, Ready, Usage } from './question.ts'

type Part = {
  /** The values that the benchmark receives at the start. */
  state: unknown
  answers?: Record<string, (argument: never) => unknown>
  stop: () => Promise<void> | void
}

export const settingsFromParent = <Settings>(): Settings => JSON.parse(process.argv[2] ?? '{}') as Settings

/** Serves until the benchmark disconnects, or has died. */
export function serveParent({ state, answers = {}, stop }: Part): void {
  const all: Part['answers'] & object = { ...answers, usage, watchMemory, peakRssMib, settledRssMib }
  process.on('message', (question: Question) => void answer(all, question))
  process.once('disconnect', () => void stop())
  tell({ kind: 'ready', state })
}

async function answer(answers: Part['answers'] & object, { id, what, argument }: Question): Promise<void> {
  try {
    tell({ kind: 'done', id, value: await answers[what]?.(argument as never) })
  } catch (error) {
    tell({ kind: 'failed', id, error: `${what}: ${String(error)}` })
  }
}

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1000, rssMib: process.memoryUsage.rss() / 2 ** 20 }
}

const tell = (message: Answer | Ready): void => void process.send?.(message)
