// The demo's screen: the link and its code, the API, and two lines to paste.
import { stripVTControlCharacters, styleText } from 'node:util'
import { cleanLine } from '@postern/protocol'
import type { DemoSettings } from './demo-settings.ts'

export type DemoFacts = {
  inviteUrl: string
  qrCode: string
  apiUrl: string
  token: string
  relayUrl: string
  directory: string
  program: DemoSettings['program']
  /** How this program was called: `postern`, or npm's name for it. */
  postern: string
}

export function demoScreen(facts: DemoFacts): string {
  const { inviteUrl, qrCode, apiUrl, token, relayUrl, directory } = facts
  const hello = JSON.stringify({ id: 1, do: 'open', invite: inviteUrl, text: 'Hello!' })
  const person = `${facts.postern} person --relay ${relayUrl} --data ${shellWord(`${directory}/alice`)} --name Alice`
  return `
  ${styleText('bold', 'A bot is waiting for you.')} Open this link in a browser to talk to it:
  ${styleText('cyan', inviteUrl)}

${indent(qrCode)}

  ${styleText('bold', 'Ask its HTTP API')} from another terminal; these lines can be pasted:
  export POSTERN_URL=${apiUrl} BOT_TOKEN=${token}
  curl -H "Authorization: Bearer $BOT_TOKEN" $POSTERN_URL/v1/me
  Read and try all of it at ${apiUrl}/reference
  Watch the bot, its updates and its delivery at ${apiUrl}/console; log in with the token above.
  A bot that was written for Telegram runs here with the address ${apiUrl} instead of Telegram's.

  ${styleText('bold', 'Or write to it')} as Alice, from another terminal:
  (echo '${hello}'; cat) |
    ${person}

${programLines(facts)}

  Everything is kept in ${directory}. Ctrl-C stops it.
`
}

/** Two programs on one bot would both answer: a reader with an own program starts without the demo's. */
const programLines = ({ program, postern }: DemoFacts): string =>
  program === 'demo'
    ? `  ${styleText('bold', 'For a program of your own')} stop this, and start it with: ${postern} demo --bot off`
    : `  ${styleText('bold', 'Nobody answers yet.')} Paste the line with export, then start your program in that terminal.`

/** A stranger chose the name: it must not control the terminal. */
export const answeredLine = (name: string): string => `  ↩ answered ${cleanLine(name) || 'somebody'}\n`

/** Pasted, it is the variable of a chat that the documents use. */
export const chatLine = (chat: string): string => `  CHAT=${shellWord(chat)}\n`

/** Without the last line, which contains colours and no picture. */
const indent = (text: string): string =>
  text
    .split('\n')
    .filter(line => stripVTControlCharacters(line) !== '')
    .map(line => `  ${line}`)
    .join('\n')

const shellWord = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
