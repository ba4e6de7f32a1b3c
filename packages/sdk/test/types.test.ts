// The generated types are those of the schemas, and filters narrow: the compiler checks this file.
import type { Endpoints } from '@postern/bot-api'
import type { AccountId, ChatId, MessageId, PressId } from '@postern/protocol'
import { expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { operations } from '../src/api-types.ts'
import { Composer, type Context, type Message, type Operations, payload } from '../src/index.ts'

/** Ids are texts for programs, and an absent field may be undefined for the schemas. */
type Plain<T> = T extends AccountId | ChatId | MessageId | PressId
  ? string
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { [K in keyof T]: Plain<Exclude<T[K], undefined>> }
      : T

type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
type Flat<T> = { [K in keyof T]: T[K] }

/** Streams have no schema, and a document of OpenAPI is any JSON. */
type Compared = Exclude<keyof Endpoints, 'getFile' | 'streamUpdates' | 'getOpenapi'>
type Answers = { [N in Compared]: Equal<Plain<Operations[N]['answer']>, Plain<z.output<Endpoints[N]['answer']>>> }
type WrongAnswers = { [N in Compared]: Answers[N] extends true ? never : N }[Compared]

type ShapeKeys<T> = T extends { shape: infer Shape } ? keyof Shape : never
type Outside<N extends keyof Endpoints> =
  | (Endpoints[N] extends { params: infer P } ? ShapeKeys<P> : never)
  | (Endpoints[N] extends { query: infer Q } ? ShapeKeys<Q> : never)
type WithBody = { [N in keyof Endpoints]: Endpoints[N] extends { body: z.ZodType } ? N : never }[keyof Endpoints]
type Sent<N extends WithBody> = Flat<Omit<Operations[N]['params'], Outside<N>>>
type Schema<N extends WithBody> = Endpoints[N] extends { body: infer Body extends z.ZodType } ? z.output<Body> : never
type WrongBodies = { [N in WithBody]: Equal<Plain<Sent<N>>, Plain<Schema<N>>> extends true ? never : N }[WithBody]

test('[SDK-1.4] parameters and answers have the types of the schemas', () => {
  expectTypeOf<WrongAnswers>().toEqualTypeOf<never>()
  expectTypeOf<WrongBodies>().toEqualTypeOf<never>()
  expectTypeOf<keyof Operations>().toEqualTypeOf<keyof Endpoints>()
  expect(operations.sendMessage).toMatchObject({ method: 'POST', path: '/v1/chats/{chat}/messages', keyed: true })
})

test('[SDK-2.1] a filter narrows the type of the context', () => {
  const composer = new Composer()
  composer.on('message:text', ctx => expectTypeOf(ctx.text).toEqualTypeOf<string>())
  composer.on('message:file', ctx => expectTypeOf(ctx.message.file.name).toEqualTypeOf<string>())
  composer.on('message', ctx => expectTypeOf(ctx.message.file?.name).toEqualTypeOf<string | undefined>())
  composer.on('button', ctx => expectTypeOf(ctx.button.data).toEqualTypeOf<string>())
  composer.on('poll:closed', ctx => expectTypeOf(ctx.message.poll.closed).toEqualTypeOf<boolean>())
  composer.press(payload('go', { at: 'number', now: 'boolean', env: 'string' }), ctx =>
    expectTypeOf(ctx.payload).toEqualTypeOf<{ at: number; now: boolean; env: string }>(),
  )
  composer.use(ctx => {
    expectTypeOf(ctx.text).toEqualTypeOf<string | undefined>()
    // @ts-expect-error -- without a filter there may be no message
    return ctx.message
  })
  // @ts-expect-error -- the list of filters is closed
  composer.on('message:sticker', () => undefined)
  expectTypeOf<Context['reply']>().returns.resolves.toEqualTypeOf<Message>()
})
