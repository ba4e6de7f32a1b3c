#!/usr/bin/env node
// Starts Firefox for playwright, which runs this file in its place, and forwards WebDriver BiDi between them. It bridges
// two differences: playwright sends a command that Firefox does not know, and expects a name for each download.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { WebSocket, WebSocketServer } from 'ws'
import { DRIVEN_FIREFOX } from './firefox-launch.ts'

const LISTENING = /^WebDriver BiDi listening on (ws:\/\/\S+)$/
/** Sets the colour scheme of pages. Without an answer playwright opens none. */
const UNKNOWN_COMMAND = 'emulation.setMediaFeaturesOverride'
const DOWNLOAD = /^browsingContext\.download(WillBegin|End)$/

const [, , ...args] = process.argv
const firefox = spawn(process.env[DRIVEN_FIREFOX] ?? 'firefox-esr', args, { stdio: ['ignore', 'inherit', 'pipe'] })
firefox.on('exit', (code, signal) => {
  // Playwright shows this line in the error of every call that follows.
  console.error(`Firefox has ended: ${signal ?? `exit code ${code}`}`)
  process.exit(code ?? 1)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => firefox.kill(signal))

for await (const line of createInterface(firefox.stderr)) {
  const [, address] = LISTENING.exec(line) ?? []
  if (address === undefined) console.error(line)
  else listen(address)
}

/** Playwright reads the address of this server from the line that it expects from Firefox. */
function listen(address: string): void {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 0 })
  server.on('connection', (driver, { url }) => forward(driver, `${address}${url}`))
  server.on('listening', () => {
    const bound = server.address()
    const port = typeof bound === 'object' ? bound?.port : undefined
    console.error(`WebDriver BiDi listening on ws://127.0.0.1:${port}`)
  })
}

function forward(driver: WebSocket, address: string): void {
  const browser = new WebSocket(address, { maxPayload: 0, perMessageDeflate: false })
  const early: string[] = []
  browser.on('open', () => {
    for (const text of early) browser.send(text)
  })
  driver.on('message', (data: Buffer) => {
    const text = data.toString()
    const answer = answerTo(text)
    if (answer !== undefined) driver.send(answer)
    else if (browser.readyState === WebSocket.CONNECTING) early.push(text)
    else browser.send(text)
  })
  browser.on('message', (data: Buffer) => driver.send(withDownload(data.toString())))
  driver.on('close', () => browser.close())
  browser.on('close', () => driver.close())
  browser.on('error', error => console.error(error))
}

function answerTo(text: string): string | undefined {
  if (!text.includes(UNKNOWN_COMMAND)) return undefined
  const { method, id } = JSON.parse(text)
  return method === UNKNOWN_COMMAND ? JSON.stringify({ type: 'success', id, result: {} }) : undefined
}

/** A page's own download has no navigation that names it; its address does, since a page makes a new one each time. */
function withDownload(text: string): string {
  if (!text.includes('"browsingContext.download')) return text
  const event = JSON.parse(text)
  if (!DOWNLOAD.test(event.method)) return text
  return JSON.stringify({
    ...event,
    params: { ...event.params, download: event.params.navigation ?? event.params.url },
  })
}
