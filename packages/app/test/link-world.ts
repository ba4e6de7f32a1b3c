// A browser for links: locks, channels, and workers with a core that only records its calls.
import { ManualClock } from '@postern/testkit/clock'
import { LOBBY_CHANNEL, type LobbyMessage, roomOf, type ToCore, type ToPage } from '../src/contract/messages.ts'
import { CoreLink, type PageLinkState } from '../src/link/core-link.ts'
import type { Channel, CoreWorker, LinkEnvironment, LockWish, WorkerEvents } from '../src/link/environment.ts'

/** Until everything in flight has been delivered: none of it waits for a clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve()
}

type Holder = { hold: () => Promise<void>; end: (error?: Error) => void }

/** One lock, as the browser keeps it: in order, released when the holder ends, and it can be stolen. */
class Locks {
  readonly #waiting: Holder[] = []
  #holder: Holder | undefined

  request(wish: LockWish, hold: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const holder: Holder = { hold, end: error => (error ? reject(error) : resolve()) }
      if ('steal' in wish) {
        this.#holder?.end(new DOMException('stolen', 'AbortError'))
        return this.#give(holder)
      }
      wish.signal.addEventListener('abort', () => {
        const at = this.#waiting.indexOf(holder)
        if (at < 0) return
        this.#waiting.splice(at, 1)
        holder.end(new DOMException('withdrawn', 'AbortError'))
      })
      this.#waiting.push(holder)
      if (!this.#holder) this.#next()
    })
  }

  #next(): void {
    const holder = this.#waiting.shift()
    this.#holder = undefined
    if (holder) this.#give(holder)
  }

  #give(holder: Holder): void {
    this.#holder = holder
    void holder.hold().then(() => {
      holder.end()
      if (this.#holder === holder) this.#next()
    })
  }
}

type Ear = Channel & { hear: (message: unknown) => void }

/** Delivers a little later, to all others of the same name, copies as the browser makes them. */
class Air {
  readonly #open = new Map<string, Set<Ear>>()

  channel<Message>(name: string, hear: (message: Message) => void): Channel {
    const all = this.#ofName(name)
    const channel: Ear = {
      hear: message => hear(message as Message),
      postMessage: message => {
        if (!all.has(channel)) throw new DOMException('closed', 'InvalidStateError')
        const data: unknown = structuredClone(message)
        for (const other of all) if (other !== channel) queueMicrotask(() => all.has(other) && other.hear(data))
      },
      close: () => void all.delete(channel),
    }
    all.add(channel)
    return channel
  }

  #ofName(name: string): Set<Ear> {
    const all = this.#open.get(name) ?? new Set()
    this.#open.set(name, all)
    return all
  }
}

/** A core in its worker: answers when the test says so. */
export class NotedCore implements CoreWorker {
  readonly name: string
  readonly build: string
  readonly heard: ToCore[] = []
  readonly #air: Air
  readonly #rooms = new Map<string, Channel>()
  readonly #hall: Channel
  readonly #events: WorkerEvents
  isDead = false
  /** Neither answers nor dies. */
  isStuck = false

  constructor(name: string, { air, build, events }: { air: Air; build: string; events: WorkerEvents }) {
    this.name = name
    this.build = build
    this.#air = air
    this.#events = events
    this.#hall = air.channel<LobbyMessage>(LOBBY_CHANNEL, said => {
      if ('page' in said) this.#letIn(said.page)
    })
  }

  async begin(): Promise<void> {
    this.say({ kind: 'ready', core: this.name, build: this.build })
    this.#hall.postMessage({ core: this.name } satisfies LobbyMessage)
    await settle()
  }

  postMessage(message: unknown): void {
    this.#hear(message as ToCore, answer => this.say(answer))
  }

  terminate(): void {
    this.isDead = true
    this.#hall.close()
    for (const room of this.#rooms.values()) room.close()
  }

  fail(): void {
    this.#events.fail()
  }

  asks(): { key: string; name: string }[] {
    return this.heard.flatMap(message => (message.kind === 'ask' ? [{ key: message.key, name: message.name }] : []))
  }

  watches(): string[] {
    return this.heard.flatMap(message => (message.kind === 'watch' ? [message.name] : []))
  }

  /** To every caller, on either path. */
  answers: ((message: ToPage) => void)[] = []

  #letIn(page: string): void {
    if (this.isDead || this.isStuck) return
    const room = this.#rooms.get(page) ?? this.#newRoom(page)
    room.postMessage({ kind: 'ready', core: this.name, build: this.build } satisfies ToPage)
  }

  #newRoom(page: string): Channel {
    const room: Channel = this.#air.channel<ToCore>(roomOf(page), said =>
      this.#hear(said, answer => room.postMessage(answer)),
    )
    this.#rooms.set(page, room)
    return room
  }

  #hear(message: ToCore, answer: (message: ToPage) => void): void {
    if (this.isDead || this.isStuck) return
    this.heard.push(message)
    if (message.kind === 'ping') answer({ kind: 'pong', id: message.id })
    if (message.kind === 'ask' || message.kind === 'watch') this.answers.push(answer)
  }

  /** To the page that started it. */
  say(message: ToPage): void {
    if (!this.isDead) this.#events.hear(message)
  }
}

export type Tab = {
  link: CoreLink
  /** Frozen: it receives nothing from other pages. */
  isDeaf: boolean
  states: PageLinkState[]
  reloads: number
  isVisible: boolean
  memory: Map<string, string>
}

export class LinkWorld {
  readonly clock = new ManualClock()
  readonly cores: NotedCore[] = []
  readonly #locks = new Locks()
  readonly #air = new Air()
  #ids = 0

  get core(): NotedCore {
    const last = this.cores.at(-1)
    if (!last) throw new Error('no page has started a core')
    return last
  }

  tab({ build = 'b1', isVisible = true }: { build?: string; isVisible?: boolean } = {}): Tab {
    const memory = new Map<string, string>()
    const tab: Tab = { link: undefined as never, isDeaf: false, states: [], reloads: 0, isVisible, memory }
    tab.link = new CoreLink(this.#surroundings(tab, build), state => tab.states.push(state))
    return tab
  }

  settle(): Promise<void> {
    return settle()
  }

  #surroundings(tab: Tab, build: string): LinkEnvironment {
    return {
      clock: this.clock,
      build,
      memory: {
        getItem: name => tab.memory.get(name) ?? null,
        setItem: (name, value) => void tab.memory.set(name, value),
      },
      isVisible: () => tab.isVisible,
      newId: () => `id-${++this.#ids}`,
      openChannel: (name, hear) =>
        this.#air.channel<Parameters<typeof hear>[0]>(name, said => tab.isDeaf || hear(said)),
      startWorker: events => {
        const core = new NotedCore(`core-${this.cores.length + 1}`, { air: this.#air, build, events })
        this.cores.push(core)
        return core
      },
      requestLock: (wish, hold) => this.#locks.request(wish, hold),
      reload: () => void tab.reloads++,
    }
  }
}
