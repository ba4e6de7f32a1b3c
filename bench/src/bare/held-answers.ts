// node:http that begins an answer to every request and never ends it: what an idle stream costs without updates.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../processes/parent.ts'

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': held\n\n')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
serveParent({
  state: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  stop: () => {
    server.close()
    server.closeAllConnections()
  },
})
