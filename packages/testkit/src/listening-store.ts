// A relay's store on SQLite that reports every call to a test.
import type { RelayOptions } from '@postern/relay'
import { openSqliteStore } from '@postern/relay/sqlite'

type Hear = (method: string, given: unknown[]) => void

export function listeningStore(hear: Hear): NonNullable<RelayOptions['openStore']> {
  return options => listening(openSqliteStore(options), hear)
}

/** A part of the store reports its methods under its name, as in `push.set`. */
function listening<Part extends object>(part: Part, hear: Hear): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (name === 'push') return listening(member as object, (method, given) => hear(`push.${method}`, given))
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown => {
        hear(String(name), given)
        return Reflect.apply(member, target, given)
      }
    },
  })
}
