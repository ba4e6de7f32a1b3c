// Actors who send and fetch files while processes are killed, and press buttons: people through their lines, the bot
// through HTTP.
import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { basename, join } from 'node:path'
import type { GatewayProcess, PersonProcess } from '@postern/testkit/processes'
import { type Actor, botActor, type Outcome, outcomeOf, personActor } from './killable-actors.ts'

export interface FileActor extends Actor {
  sendFile(chat: string, path: string): Promise<Outcome>
  /** SHA-256 of the fetched file, in hex; undefined when there is none: the message is gone, or a process was killed. */
  fetchFile(chat: string, message: string): Promise<string | undefined>
}

export interface Presser extends FileActor {
  press(pressed: { chat: string; message: string; data: string }): Promise<Outcome>
}

/** Saves fetched files in the folder, under the id of their message. */
export function personWithFiles(person: PersonProcess, { id, folder }: { id: string; folder: string }): Presser {
  const ask = async (...command: [name: string, fields: object]): Promise<Outcome> => {
    await person.ready()
    const answer = await person.ask(...command)
    if (answer.kind === 'ok') return { kind: 'done', ok: answer.ok }
    return answer.kind === 'error' ? outcomeOf(answer.code, answer.error) : { kind: 'in-doubt' }
  }
  return {
    ...personActor(person, id),
    sendFile: (chat, path) => ask('file', { chat, path }),
    fetchFile: async (chat, message) => {
      const path = join(folder, message)
      const { kind } = await ask('download', { chat, message, path })
      return kind === 'done' ? await sha256(createReadStream(path)) : undefined
    },
    press: pressed => ask('press', pressed),
  }
}

export interface FileBot extends FileActor {
  show(chat: string, buttons: object[][]): Promise<Outcome>
  answer(press: string, text: string): Promise<Outcome>
}

export function botWithFiles({ url, token }: GatewayProcess, id: string): FileBot {
  const authorization = { authorization: `Bearer ${token}` }
  /** Killed before the answer: undefined. */
  const call = (path: string, init: RequestInit & { headers?: object } = {}) =>
    fetch(`${url}/v1/${path}`, { ...init, headers: { ...authorization, ...init.headers } }).catch(() => undefined)
  const post = async (path: string, init: RequestInit & { headers?: object }): Promise<Outcome> => {
    const answer = await call(path, { method: 'POST', ...init })
    const body = (await answer?.json().catch(() => undefined)) as { code: string; error: string } | undefined
    if (!answer || !body) return { kind: 'in-doubt' }
    return answer.ok ? { kind: 'done', ok: body } : outcomeOf(body.code, body.error)
  }
  const postJson = (path: string, body: object) =>
    post(path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return {
    ...botActor({ url, token } as GatewayProcess, id),
    sendFile: async (chat, path) => {
      const body = new FormData()
      body.append('file', await openAsBlob(path), basename(path))
      return await post(`chats/${chat}/files`, { body })
    },
    fetchFile: async (chat, message) => {
      const answer = await call(`chats/${chat}/messages/${message}/file`)
      if (!answer?.ok || !answer.body) return undefined
      const expected = Number(answer.headers.get('content-length'))
      const bytes = await answer.bytes().catch(() => undefined)
      return bytes?.length === expected ? createHash('sha256').update(bytes).digest('hex') : undefined
    },
    show: (chat, buttons) => postJson(`chats/${chat}/messages`, { text: 'press one', buttons }),
    answer: (press, text) => postJson(`presses/${press}/answer`, { text }),
  }
}

export async function sha256(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}
