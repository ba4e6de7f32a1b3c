// The place for the bytes of blobs: the relay's own directory, a shared directory, or an object store.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { CodedError, type Env } from '@postern/protocol'

export type S3Credentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
}

export type S3Place = {
  kind: 's3'
  bucket: string
  /** Empty, or ends with a slash. */
  prefix: string
  region: string
  endpoint: string
  /** Whether the bucket is part of the path or of the host name. */
  style: 'path' | 'host'
  /** The source of the keys. A function, so that printing the settings does not print keys. */
  environment: () => Env
}

export type BlobPlace = { kind: 'directory'; directory: string } | S3Place

const FIELD = '--blobs'
const EXAMPLE = 's3://bucket/prefix?region=eu-central-1&endpoint=https://s3.example.org&style=path'
const KNOWN = ['region', 'endpoint', 'style']

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: FIELD, rule })

/** Throws `bad-field` that names the option and contains no secret. */
export function blobPlaceIn(text: string | undefined, env: Env): BlobPlace | undefined {
  if (!text) return undefined
  if (/^s3:/i.test(text)) return s3PlaceIn(text, env)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw wrong(`must be a directory or a bucket, as in ${EXAMPLE}`)
  // Two relays could resolve a relative path differently.
  if (!isAbsolute(text)) throw wrong('must be an absolute path')
  return { kind: 'directory', directory: text }
}

function s3PlaceIn(text: string, env: Env): S3Place {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw wrong(`must be an address, as in ${EXAMPLE}`)
  if (url.username !== '' || url.password !== '')
    throw wrong('must not contain keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  const { hostname: bucket, searchParams } = url
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw wrong(`"${bucket}" is not a bucket name`)
  const unknown = [...searchParams.keys()].find(name => !KNOWN.includes(name))
  if (unknown !== undefined) throw wrong(`"${unknown}" is not one of ${KNOWN.join(', ')}`)
  const region = searchParams.get('region') || env['AWS_REGION'] || 'us-east-1'
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw wrong(`"${region}" is not a region`)
  const endpoint = searchParams.get('endpoint')
  return {
    kind: 's3',
    bucket,
    prefix: prefixIn(url.pathname),
    region,
    endpoint: endpoint === null ? `https://s3.${region}.amazonaws.com` : endpointIn(endpoint),
    style: styleIn(searchParams.get('style') ?? (endpoint === null ? 'host' : 'path')),
    environment: environmentWithCredentials(env),
  }
}

function prefixIn(path: string): string {
  const prefix = path.replaceAll(/^\/+|\/+$/g, '')
  if (prefix === '') return ''
  if (!/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(prefix) || /(^|\/)\.{1,2}(\/|$)/.test(prefix))
    throw wrong('must have a prefix of letters, digits, dots, dashes and single slashes')
  return `${prefix}/`
}

function endpointIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw wrong(`the endpoint "${text.slice(0, 100)}" is not an address. Use one like https://s3.example.org`)
  return url.origin
}

function styleIn(text: string): 'path' | 'host' {
  if (text !== 'path' && text !== 'host') throw wrong(`the style "${text}" is neither path nor host`)
  return text
}

export type CredentialKind = 'environment' | 'web-identity' | 'file' | 'container' | 'instance'

/** Depends on the variables that are set. Throws `bad-field` if none is set and the instance role is disabled. */
export function credentialKindIn(env: Env): CredentialKind {
  const isSet = (...names: string[]): boolean => names.every(name => Boolean(env[name]))
  if (isSet('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY')) return 'environment'
  if (isSet('AWS_ACCESS_KEY_ID') || isSet('AWS_SECRET_ACCESS_KEY'))
    throw wrong('set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  if (isSet('AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN')) return 'web-identity'
  if (isSet('AWS_SHARED_CREDENTIALS_FILE') || hasSharedFile(env)) return 'file'
  if (isSet('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI') || isSet('AWS_CONTAINER_CREDENTIALS_FULL_URI')) return 'container'
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() !== 'true') return 'instance'
  throw wrong('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment')
}

const hasSharedFile = (env: Env): boolean => existsSync(join(env['HOME'] ?? homedir(), '.aws', 'credentials'))

function environmentWithCredentials(env: Env): () => Env {
  credentialKindIn(env)
  return () => env
}
