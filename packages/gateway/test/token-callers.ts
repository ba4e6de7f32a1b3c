// Callers with scoped tokens.
import type { CreatedToken, TokenScope } from '@postern/bot-api'
import { expect } from 'vitest'
import { Api } from './api.ts'

type Server = { url: string }

/** The API of the same gateway under a token of its own. */
export async function tokenOf(
  { gateway, api }: { gateway: ConstructorParameters<typeof Api>[0]; api: Api },
  scopes: TokenScope[],
  chats?: string[],
): Promise<{ made: CreatedToken; api: Api; server: Server & { token: string } }> {
  const made = await api.ok<CreatedToken>('POST', '/v1/tokens', { name: 'a token', scopes, ...(chats && { chats }) })
  const server = new Proxy(gateway, {
    get: (target, name) => {
      if (name === 'token') return made.token
      if (name !== 'api') return Reflect.get(target, name) as unknown
      return async (method: string, path: string, body?: unknown) => await call(server, { method, path, body })
    },
  })
  return { made, api: new Api(server), server }
}

async function call(
  { url, token }: Server & { token: string },
  request: { method: string; path: string; body: unknown },
) {
  const { method, path, body } = request
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as never }
}

export const forbidden = (sentence: RegExp) => ({
  status: 403,
  body: { code: 'forbidden', error: expect.stringMatching(sentence) as string },
})
export const unauthorized = { status: 401, body: { code: 'unauthorized', error: expect.any(String) as string } }
