// A bare WebSocket server that only holds its connections and pings nobody.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { serveParent } from '../processes/parent.ts'

const server = createServer()
const sockets = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false })
// Ends when the crowd has gone.
sockets.on('connection', socket => socket.on('message', () => {}))
server.listen({ host: '127.0.0.1', port: 0 })
await once(server, 'listening')
const { port } = server.address() as AddressInfo
serveParent({ state: { url: `http://127.0.0.1:${port}` }, stop: () => void server.close() })
