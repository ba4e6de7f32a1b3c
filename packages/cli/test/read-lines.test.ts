// Lines from chunks as pipes deliver them.
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { type InputLine, readLines } from '../src/person/read-lines.ts'

async function linesOf(chunks: string[], bytesMax = 100): Promise<InputLine[]> {
  const lines: InputLine[] = []
  for await (const line of readLines(Readable.from(chunks.map(chunk => Buffer.from(chunk))), { bytesMax }))
    lines.push(line)
  return lines
}

const line = (text: string): InputLine => ({ kind: 'line', text })

test('[CLI-2.1] lines are found wherever the chunks end', async () => {
  expect(await linesOf(['{"a"', ':1}\n{"b":2}\n', '', '\n{"c', '":3}'])).toEqual(
    ['{"a":1}', '{"b":2}', '', '{"c":3}'].map(line),
  )
})

test('[CLI-2.1] a character that is cut by a chunk stays whole', async () => {
  const bytes = Buffer.from('größe\n')
  const cut = Readable.from([bytes.subarray(0, 3), bytes.subarray(3)])
  for await (const found of readLines(cut, { bytesMax: 100 })) expect(found).toEqual(line('größe'))
})

test('[CLI-2.2] a line that is too long is skipped and the next one is read', async () => {
  expect(await linesOf(['x'.repeat(6), 'x'.repeat(6), 'x\nnext\n'], 10)).toEqual([{ kind: 'too-long' }, line('next')])
})
