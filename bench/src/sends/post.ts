// One text that an operator posts, over a kept connection.
import { type Agent, request } from 'node:http'

export type Target = { url: string; token: string; chats: string[]; agent: Agent }

const body = JSON.stringify({
  text: 'A text of about a hundred bytes, as a bot writes them to the people who have asked it for news.',
})

export function post({ url, token, chats, agent }: Target, at: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const path = `/v1/chats/${chats[at % chats.length]}/messages`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = request(new URL(path, url), { method: 'POST', agent, headers }, answer => {
    answer.resume()
    answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))))
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}
