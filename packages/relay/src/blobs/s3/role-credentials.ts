// Short-lived keys from the role of a machine, a container or a pod, fetched over HTTP.
import { readFile } from 'node:fs/promises'
import { type Env, relayFixedLimits } from '@postern/protocol'
import type { FetchedCredentials } from './credential-cache.ts'
import { fieldIn, textOf } from './read-answers.ts'
import { S3Fault } from './s3-fault.ts'
import { newAgent, type S3Line, type S3Sent, sendRequest } from './send-request.ts'

/** `ca`: see `newAgent`. */
export type RoleContext = { region: string; ca?: string | undefined; line: Omit<S3Line, 'agent'> }

const CONTAINER_HOST = 'http://169.254.170.2'
/** Only these hosts may be asked without encryption: the answer is a key. */
const LOCAL_HOSTS = /^(localhost|127\.[\d.]+|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/
const INSTANCE_HOST = 'http://169.254.169.254'
const INSTANCE_ROLES = '/latest/meta-data/iam/security-credentials/'
const { roleTokenSec, roleAnswerMs } = relayFixedLimits

/** Exchanges the token in this file for a role's keys. Kubernetes gives pods their role this way. */
export async function webIdentityCredentials(env: Env, context: RoleContext): Promise<FetchedCredentials> {
  const token = (await readFile(env['AWS_WEB_IDENTITY_TOKEN_FILE'] ?? '', 'utf8')).trim()
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: env['AWS_ROLE_ARN'] ?? '',
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] || 'postern-relay',
    WebIdentityToken: token,
  })
  const url = new URL(env['AWS_ENDPOINT_URL_STS'] || `https://sts.${context.region}.amazonaws.com`)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const xml = await ask({ url, method: 'POST', headers, body: [Buffer.from(form.toString())] }, context)
  return credentialsFrom(name => fieldIn(xml, name === 'Token' ? 'SessionToken' : name))
}

export async function containerCredentials(env: Env, context: RoleContext): Promise<FetchedCredentials> {
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI']
  const url = relative ? new URL(relative, CONTAINER_HOST) : new URL(env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? '')
  if (url.protocol !== 'https:' && !LOCAL_HOSTS.test(url.hostname))
    throw new Error('AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or an address of this machine')
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
  const token = file ? (await readFile(file, 'utf8')).trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN']
  const headers: Record<string, string> = token ? { authorization: token } : {}
  return credentialsIn(await ask({ url, method: 'GET', headers, body: [] }, context))
}

/** Version 2 of the metadata service: each read needs a token, which a request forged through a proxy does not have. */
export async function instanceCredentials(env: Env, context: RoleContext): Promise<FetchedCredentials> {
  const host = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || INSTANCE_HOST
  const life = { 'x-aws-ec2-metadata-token-ttl-seconds': String(roleTokenSec) }
  const asked = { url: new URL('/latest/api/token', host), method: 'PUT', headers: life, body: [] }
  const headers = { 'x-aws-ec2-metadata-token': await ask(asked, context) }
  const read = (path: string): Promise<string> =>
    ask({ url: new URL(path, host), method: 'GET', headers, body: [] }, context)
  const [role = ''] = (await read(INSTANCE_ROLES)).split('\n')
  return credentialsIn(await read(`${INSTANCE_ROLES}${encodeURIComponent(role.trim())}`))
}

/** Uses its own connection, because these services are asked only a few times a day. Throws `S3Fault`. */
async function ask(sent: S3Sent, { line, ca }: RoleContext): Promise<string> {
  const agent = newAgent(sent.url.href, { maxSockets: 1, ca })
  try {
    const length = sent.body.reduce((sum, piece) => sum + piece.length, 0)
    const headers = { ...sent.headers, 'content-length': String(length) }
    const answer = await sendRequest({ ...sent, headers }, { ...line, agent, idleMs: () => roleAnswerMs })
    const text = await textOf(answer)
    if (answer.statusCode !== 200) throw new S3Fault(`credentials refused by ${sent.url.host}`, answer.statusCode ?? 0)
    return text
  } finally {
    agent.destroy()
  }
}

function credentialsIn(json: string): FetchedCredentials {
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(json) as Record<string, unknown>
  } catch {
    // No cause: its message would contain a part of the answer.
    throw new S3Fault('credentials unreadable', 0)
  }
  return credentialsFrom(name => (typeof fields[name] === 'string' ? fields[name] : undefined))
}

function credentialsFrom(field: (name: string) => string | undefined): FetchedCredentials {
  const [accessKeyId, secretAccessKey, expiration] = ['AccessKeyId', 'SecretAccessKey', 'Expiration'].map(field)
  const expiresMs = Date.parse(expiration ?? '')
  if (!accessKeyId || !secretAccessKey || Number.isNaN(expiresMs)) throw new S3Fault('credentials incomplete', 0)
  return { credentials: { accessKeyId, secretAccessKey, sessionToken: field('Token') }, expiresMs }
}
