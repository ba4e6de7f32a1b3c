// The help texts: short, complete, and the same as the documents.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { helpNames, helpOf, overview } from '../src/usage.ts'

const documents = join(import.meta.dirname, '../../../docs')
const optionsIn = (text: string): string[] => [...text.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option)

describe('[CLI-1.21] help', () => {
  test('the overview has one line for each command, and fits on a screen', () => {
    const lines = overview.trimEnd().split('\n')
    expect(lines.slice(2, -2).map(line => line.trim().split(/ {2,}/)[0])).toEqual(helpNames)
    expect(lines.length).toBeLessThanOrEqual(24)
  })

  test.each(helpNames.filter(name => name !== 'help'))('%s has its own help, one line for each option', name => {
    const help = helpOf(name.split(' '))
    expect(help).toMatch(new RegExp(`^Usage: postern ${name}[ \\n]`))
    expect(help).not.toBe(overview)
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    expect(new Set(optionsIn(help)).size).toBe(optionsIn(help).length)
  })

  test('the relay has the options of docs/relay.md', () => {
    const page = readFileSync(join(documents, 'relay.md'), 'utf8')
    const documented = [...page.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, option = '']) => option)
    expect(optionsIn(helpOf(['relay'])).toSorted()).toEqual(documented.toSorted())
  })

  test('words that are no command lead to the overview, and options do not hide the command before them', () => {
    expect(helpOf([])).toBe(overview)
    expect(helpOf(['fly'])).toBe(overview)
    expect(helpOf(['help'])).toBe(overview)
    expect(helpOf(['relay', '--data', 'x', '--help'])).toBe(helpOf(['relay']))
    expect(helpOf(['relay', 'fly'])).toBe(helpOf(['relay']))
  })
})
