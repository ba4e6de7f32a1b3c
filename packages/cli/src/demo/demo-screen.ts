// What the demo shows: the link and its code, the API, and two lines to paste.
import { stripVTControlCharacters, styleText } from 'node:util'
import { cleanLine } from '@postern/protocol'

export type DemoFacts = {
  inviteUrl: string
  qrCode: string
  apiUrl: string
  token: string
  relayUrl: string
  directory: string
  /** How this program was called: `postern`, or what npm calls it. */
  postern: string
}

export function demoScreen(facts: DemoFacts): string {
  const { inviteUrl, qrCode, apiUrl, token, relayUrl, directory, postern } = facts
  const hello = JSON.stringify({ id: 1, do: 'open', invite: inviteUrl, text: 'Hello!' })
  const person = `${postern} person --relay ${relayUrl} --data ${shellWord(`${directory}/alice`)} --name Alice`
  return `
  ${styleText('bold', 'A bot is waiting for you.')} Open this link in a browser to talk to it:
  ${styleText('cyan', inviteUrl)}

${indent(qrCode)}

  ${styleText('bold', 'Ask its HTTP API')} (token ${token}):
  curl -H 'Authorization: Bearer ${token}' ${apiUrl}/v1/me

  ${styleText('bold', 'Or write to it')} as Alice, from another terminal:
  (echo '${hello}'; cat) |
    ${person}

  Everything is kept in ${directory}. Ctrl-C stops it.
`
}

/** A stranger chose the name: it must not write elsewhere on the screen. */
export const answeredLine = (name: string): string => `  ↩ answered ${cleanLine(name) || 'somebody'}\n`

/** Without the last line, which holds colours and no picture. */
const indent = (text: string): string =>
  text
    .split('\n')
    .filter(line => stripVTControlCharacters(line) !== '')
    .map(line => `  ${line}`)
    .join('\n')

const shellWord = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
