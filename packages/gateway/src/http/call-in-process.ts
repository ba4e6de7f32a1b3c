// Calls a handler without HTTP: the input is checked by the same table, and the answer is the same.
import { checkFields, type Endpoint, endpoints } from '@postern/bot-api'
import type { CallOperation } from '@postern/telegram'
import { fullAccess } from '../access.ts'
import type { HttpCaller } from '../caller.ts'
import { SerializedAnswer } from './answers.ts'
import type { Handlers } from './handler.ts'

type AnyHandler = (input: Record<string, unknown>, caller: HttpCaller) => unknown

const nobodyLeaves = new AbortController().signal

export const callInProcess =
  (handlers: Handlers): CallOperation =>
  async (name, { params = {}, query = {}, body, form, key, gone = nobodyLeaves } = {}) => {
    const endpoint: Endpoint = endpoints[name]
    const handler = handlers[name] as AnyHandler | undefined
    if (!handler) throw new Error(`${name} is switched off`)
    const { fields } = endpoint.form ?? {}
    const input = {
      query: endpoint.query && checkFields(endpoint.query, query, { whole: 'query' }),
      headers: endpoint.headers && checkFields(endpoint.headers, { 'idempotency-key': key }, { whole: 'headers' }),
      body: endpoint.body && checkFields(endpoint.body, body, { whole: 'body' }),
      params: endpoint.params && checkFields(endpoint.params, params, { whole: 'path' }),
      upload: undefined,
      form: form && {
        ...form,
        open: async () => {
          const opened = await form.open()
          return {
            ...opened,
            fields: async () => fields && checkFields(fields, await opened.fields(), { whole: 'body' }),
          }
        },
      },
      isHead: false,
    }
    const answer = await handler(input, { access: fullAccess, gone, fate: () => {}, trust: () => {} })
    // The name of the operation decides the type of its answer.
    return (answer instanceof SerializedAnswer ? JSON.parse(textOf(answer)) : answer) as never
  }

const textOf = ({ json }: SerializedAnswer): string => (typeof json === 'string' ? json : Buffer.from(json).toString())
