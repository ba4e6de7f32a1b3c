// Tests the test of the snippets: wrong pages, each with one fault, and correct pages.
import { describe, expect, test } from 'vitest'
import { differenceIn } from '../snippets/compare-answer.ts'
import { stepsOf } from '../snippets/page-steps.ts'
import { faultIn } from '../snippets/run-page.ts'
import { factIn } from '../snippets/shown-facts.ts'

const sh = (text: string): string => `\`\`\`sh\n${text}\n\`\`\`\n`
const json = (text: string): string => `\`\`\`json\n${text}\n\`\`\`\n`
const answer = `{"id": "abc", "ts": 17, "text": "Deploy?", "votes": 1, "members": [{"name": "Bob"}, {"name": "Alice"}]}`
const says = (text: string): string => sh(`echo '${text}'`)

describe('a page', () => {
  const faultOf = (text: string) => faultIn({ path: 'docs/a.md', text }, [])

  test.each([
    ['a command that does what it should', sh('test -f photo.jpg')],
    ['an answer as it is', says(answer) + json(answer)],
    ['an answer with gaps', says(answer) + json(answer.replace('abc', '…').replace('17', '3'))],
    [
      'members in another order',
      says(answer) + json(answer.replace('Bob', '.').replace('Alice', 'Bob').replace('.', 'Alice')),
    ],
    ['a file that a later block reads', `\`\`\`ini\n# a.env\nNAME=Bob\n\`\`\`\n${sh('grep -q Bob a.env')}`],
    [
      'an error that is announced',
      sh(`echo '{"error": "no", "code": "bad_request"}'; exit 22`) + json('{"error": "…", "code": "bad_request"}'),
    ],
    ['JSON below another heading, which answers nothing', `${says('{}')}\n## Something else\n${json('{"a": 1}')}`],
  ])('in order: %s', async (_what, text) => {
    expect(await faultOf(text)).toBeUndefined()
  })

  test.each([
    ['a command that fails', sh('cat gone.txt'), 'docs/a.md:2: exit code 1'],
    ['a command in the middle that fails', sh('cat gone.txt\ntrue'), 'docs/a.md:2: exit code 1'],
    ['a program that is not there', sh('no-such-program'), 'exit code 127'],
    ['a variable that nobody has told', sh('echo $PRESS_ID'), 'exit code 2'],
    [
      'a field too many',
      says(answer) + json(answer.replace('"ts"', '"a": 1, "ts"')),
      'docs/a.md:5: the answer has or lacks a',
    ],
    ['a field too few', says(answer) + json(answer.replace('"ts": 17,', '')), 'the answer has or lacks ts'],
    [
      'other words',
      says(answer) + json(answer.replace('Deploy?', 'Deploy!')),
      'the answer.text is "Deploy?", not "Deploy!"',
    ],
    ['another number', says(answer) + json(answer.replace('"votes": 1', '"votes": 2')), 'the answer.votes is 1, not 2'],
    ['another kind', says(answer) + json(answer.replace('17', '"17"')), 'the answer.ts is 17, not "17"'],
    ['a list of another length', says('[1, 2]') + json('[1]'), 'the answer has 2 of them, not 1'],
    ['no answer at all', sh('true') + json('{}'), 'the answer is nothing'],
    ['an error that does not come', says('{}') + json('{"error": "…", "code": "bad_request"}'), 'exit code 0'],
  ])('not in order: %s', async (_what, text, fault) => {
    expect(await faultOf(text)).toContain(fault)
  })

  test('what is left out does not run, nor is its answer asked for', async () => {
    const untried = [{ page: 'docs/a.md', begins: 'cat gone', why: 'a test' }]
    expect(await faultIn({ path: 'docs/a.md', text: sh('cat gone.txt') + json('{}') }, untried)).toBeUndefined()
    expect(await faultIn({ path: 'docs/b.md', text: sh('cat gone.txt') }, untried)).toContain('exit code 1')
  })
})

test('deeds of Alice stand between the blocks, in their order', () => {
  const steps = stepsOf(`${sh('one')}\n<!-- Alice: {"do": "me"} -->\n\n${sh('two')}`)
  expect(steps.map(({ kind, text }) => [kind, text])).toEqual([
    ['shell', 'one'],
    ['alice', '{"do": "me"}'],
    ['shell', 'two'],
  ])
})

test('an ellipsis stands for any words, and for nothing but words', () => {
  expect(differenceIn('a…c', 'abbc')).toBeUndefined()
  expect(differenceIn('a.c', 'abc')).toBeDefined()
  expect(differenceIn('…', 7)).toBeDefined()
})

test('variables are what was answered last', () => {
  const messages = ['one', 'two'].map(id => ({ id, chat_id: 'c', from: {} }))
  const pressed = [{ id: 4, type: 'button', chat_id: 'c', button: { press_id: 'p' } }]
  const told = { answered: [messages, pressed], said: '' }
  const facts = ['MESSAGE', 'PRESS_ID', 'OFFSET', 'HOOK'].map(name => factIn(name, told))
  expect(facts).toEqual(['two', 'p', '5', undefined])
})
