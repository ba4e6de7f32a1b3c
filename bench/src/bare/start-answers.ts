// Starts the bare server of ready answers, one answer per text.
import { writeFileSync } from 'node:fs'
import { Child } from '../processes/child.ts'
import type { AnswersSettings } from './answers.ts'

type Ready = { answers: string[]; path: string; ledger?: string }

export function startAnswers({ answers, path, ledger }: Ready): Promise<Child<{ url: string }>> {
  writeFileSync(path, answers.join('\n'))
  const settings: AnswersSettings = { path, ...(ledger !== undefined && { ledger }) }
  return Child.start(new URL('./answers.ts', import.meta.url), settings)
}
