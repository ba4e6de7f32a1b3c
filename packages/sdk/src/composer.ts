// A tree of handlers. Each passes an update on with `next`, or ends its way.
import type { Payload } from './buttons.ts'
import type { Context, MatchFields } from './context.ts'
import { type Filter, type Filters, fits } from './filters.ts'

export type Next = () => Promise<void>
export type Handler<C = Context> = (ctx: C, next: Next) => unknown
export type Verdict = 'skip' | 'retry'
/** Returns, or resolves to, `'retry'` to have the update handled again; everything else skips it. */
export type ErrorHandler<C = Context> = (error: unknown, ctx: C) => unknown

type TextContext<C> = C & Filters['message:text']
type PressContext<C> = C & Filters['button']
type Find<C> = (ctx: C) => MatchFields | undefined | Promise<MatchFields | undefined>

export class Composer<C extends Context = Context> {
  readonly #handlers: Handler<C>[] = []

  use(...handlers: Handler<C>[]): this {
    this.#handlers.push(...handlers)
    return this
  }

  on<Name extends Filter>(filter: Name | Name[], ...handlers: Handler<C & Filters[Name]>[]): this {
    return this.#branch(ctx => (fits(ctx.update, filter) ? {} : undefined), handlers)
  }

  /** `/name words`. In a group only if the message mentions the bot: other bots may have the same command. */
  command(name: string | string[], ...handlers: Handler<TextContext<C>>[]): this {
    const names = new Set([name].flat().map(one => one.toLowerCase()))
    return this.#branch(ctx => {
      const command = commandIn(ctx)
      return command && names.has(command.name) ? { args: command.args } : undefined
    }, handlers)
  }

  /** A text that is equal, or that the expression matches. */
  hears(text: string | RegExp, ...handlers: Handler<TextContext<C>>[]): this {
    return this.#branch(ctx => (fits(ctx.update, 'message:text') ? matched(ctx.text ?? '', text) : undefined), handlers)
  }

  press(data: string | RegExp, ...handlers: Handler<PressContext<C>>[]): this
  press<Values>(data: Payload<Values>, ...handlers: Handler<PressContext<C> & { payload: Values }>[]): this
  press(data: string | RegExp | Payload<unknown>, ...handlers: Handler<PressContext<C> & { payload: never }>[]): this {
    return this.#branch(ctx => {
      if (ctx.update.type !== 'button') return undefined
      const pressed = ctx.update.button.data
      if (typeof data === 'string' || data instanceof RegExp) return matched(pressed, data)
      const payload = data.parse(pressed)
      return payload === undefined ? undefined : { payload }
    }, handlers)
  }

  filter(is: (ctx: C) => boolean | Promise<boolean>, ...handlers: Handler<C>[]): this {
    return this.#branch(async ctx => ((await is(ctx)) ? {} : undefined), handlers)
  }

  /** Errors of these handlers go to `handler`: after `skip`, the update continues behind them. */
  boundary(handler: ErrorHandler<C>, ...handlers: Handler<C>[]): this {
    return this.use(async (ctx, next) => {
      let isPassedOn = false
      try {
        await runAll(handlers, ctx, () => {
          isPassedOn = true
          return Promise.resolve()
        })
      } catch (error) {
        if ((await handler(error, ctx)) === 'retry') throw error
        isPassedOn = true
      }
      if (isPassedOn) await next()
    })
  }

  /** This composer as a handler of another. */
  middleware(): Handler<C> {
    return (ctx, next) => runAll(this.#handlers, ctx, next)
  }

  #branch<Narrow extends C>(find: Find<C>, handlers: readonly Handler<Narrow>[]): this {
    return this.use(async (ctx, next) => {
      const found = await find(ctx)
      if (found === undefined) return await next()
      await runAll(handlers, Object.assign(ctx, found) as C & Narrow, next)
    })
  }
}

async function runAll<C>(handlers: readonly Handler<C>[], ctx: C, next: Next): Promise<void> {
  const step = async (at: number): Promise<void> => {
    const handler = handlers[at]
    if (!handler) return await next()
    await handler(ctx, () => step(at + 1))
  }
  await step(0)
}

function matched(text: string, wanted: string | RegExp): MatchFields | undefined {
  if (typeof wanted === 'string') return text === wanted ? {} : undefined
  const match = text.match(new RegExp(wanted.source, wanted.flags.replaceAll(/[gy]/g, '')))
  return match ? { match } : undefined
}

function commandIn({ update, me }: Context): { name: string; args: string } | undefined {
  if (!fits(update, 'message:text') || update.type !== 'message') return undefined
  const { text = '', mentions = [], from } = update.message
  const ours = mentions.filter(({ user }) => user === me.id)
  const isPrivate = from.id === update.chat_id
  if (!isPrivate && ours.length === 0) return undefined
  // From the end, so that the offsets of those before stay right.
  const plain = ours
    .toSorted((one, other) => other.offset - one.offset)
    .reduce((rest, { offset, length }) => rest.slice(0, offset) + rest.slice(offset + length), text)
  const [, name, args = ''] = /^\s*\/([^\s@/]+)(?:@\S+)?(?:\s+([^]*))?$/u.exec(plain) ?? []
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() }
}
