import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Agent, request } from 'node:http'
import { systemClock } from '@postern/protocol'
import { Receiver } from './src/webhook/deliver.ts'
const worker = new Worker(`
    const { createServer } = require('node:http'); const { parentPort } = require('node:worker_threads')
    const s = createServer((q, r) => { q.resume(); q.on('end', () => { r.writeHead(200).end() }) })
    s.listen(0, '127.0.0.1', () => parentPort.postMessage(s.address().port))
  `, { eval: true })
const [port] = await once(worker, 'message')
const url = `http://127.0.0.1:${port}/`
const N = 5000
const json = JSON.stringify({ x: 'y'.repeat(400) })
const body = Buffer.from(json)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
async function bare() {
  const t2 = performance.now()
  for (let i = 0; i < N; i++) await new Promise<void>(resolve => {
    const r = request(url, { method: 'POST', agent, headers: { 'content-length': body.length } }, s => { s.resume(); s.on('close', () => resolve()) })
    r.end(body)
  })
  console.log('bare', N / (performance.now() - t2) * 1000)
}
const receiver = new Receiver({ url, secret: 's', account: 'a', clock: systemClock })
const stop = new AbortController()
async function ours() {
  const t = performance.now()
  for (let id = 0; id < N; id++) { const o = await receiver.deliver({ id, json }, stop.signal); if (o.kind !== 'delivered') console.log(o) }
  console.log('ours', N / (performance.now() - t) * 1000)
}
await bare(); await ours(); await bare(); await ours()
process.exit()
