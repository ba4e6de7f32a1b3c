// The key services of a machine, a container and a pod, for tests: one server for all of them.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

type Keys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

export type RoleServer = {
  url: string
  /** How often keys were handed out. */
  count: number
  keys: Keys
  expiresMs: number
  isBroken: boolean
  /** The token that a pod must present: the content of a file. */
  token: string
}

const TOKEN = 'token-of-the-machine'

export async function startRoles(keys: Keys, expiresMs: number): Promise<RoleServer> {
  const roles: RoleServer = { url: '', count: 0, keys, expiresMs, isBroken: false, token: 'token-of-the-pod' }
  const server = createServer((request, response) => {
    answerTo(request, roles).then(
      ({ status, body }) => response.writeHead(status).end(body),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  roles.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return roles
}

async function answerTo(request: IncomingMessage, roles: RoleServer): Promise<{ status: number; body: string }> {
  const body = await text(request)
  if (roles.isBroken) return { status: 500, body: '' }
  switch (`${request.method} ${request.url}`) {
    case 'PUT /latest/api/token':
      return { status: 200, body: TOKEN }
    case 'GET /latest/meta-data/iam/security-credentials/':
      return { status: 200, body: 'role-of-the-machine' }
    case 'GET /latest/meta-data/iam/security-credentials/role-of-the-machine':
      return request.headers['x-aws-ec2-metadata-token'] === TOKEN ? inJson(roles) : { status: 401, body: '' }
    case 'GET /of/the/pod':
      return request.headers.authorization === roles.token ? inJson(roles) : { status: 401, body: '' }
    case 'POST /': {
      const form = new URLSearchParams(body)
      const isOurs = form.get('RoleArn') === 'arn:aws:iam::1:role/relay' && form.get('WebIdentityToken') === roles.token
      return isOurs ? inXml(roles) : { status: 403, body: '<Code>AccessDenied</Code>' }
    }
    default:
      return { status: 404, body: '' }
  }
}

function inJson(roles: RoleServer): { status: number; body: string } {
  const { accessKeyId, secretAccessKey, sessionToken } = handOut(roles)
  const Expiration = new Date(roles.expiresMs).toISOString()
  const fields = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, Expiration }
  return { status: 200, body: JSON.stringify(fields) }
}

function inXml(roles: RoleServer): { status: number; body: string } {
  const { accessKeyId, secretAccessKey, sessionToken = '' } = handOut(roles)
  const fields = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken }
  const all = { ...fields, Expiration: new Date(roles.expiresMs).toISOString() }
  const lines = Object.entries(all).map(([name, value]) => `<${name}>${value}</${name}>`)
  return { status: 200, body: `<AssumeRoleWithWebIdentityResult><Credentials>${lines.join('')}</Credentials>` }
}

function handOut(roles: RoleServer): Keys {
  roles.count++
  return { ...roles.keys }
}
