// The levels of notifications, each with its meaning.
import type { VNode } from 'preact'
import type { Settings } from '../contract/settings.ts'
import { RadioList } from '../parts/menus/radio-list.tsx'
import { pushWords } from './words.ts'

type Level = Settings['notify']
type LevelsProps = { value: Level; hasOff: boolean; onChange: (level: Level) => void }

export function Levels({ value, hasOff, onChange }: LevelsProps): VNode {
  const w = pushWords.value
  const all = [
    { value: 'off' as const, word: w.levelOff, hint: w.levelOffHint },
    { value: 'nothing' as const, word: w.levelNothing, hint: w.levelNothingHint },
    { value: 'name' as const, word: w.levelName, hint: w.levelNameHint },
    { value: 'words' as const, word: w.levelWords, hint: w.levelWordsHint },
  ]
  const choices = hasOff ? all : all.slice(1)
  return <RadioList legend={w.level} value={value} choices={choices} onChange={onChange} />
}
