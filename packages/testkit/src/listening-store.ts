// A relay's store on SQLite that reports every call to a test.
import type { RelayOptions } from '@postern/relay'
import { openSqliteStore } from '@postern/relay/sqlite'

export function listeningStore(
  hear: (method: string, given: unknown[]) => void,
): NonNullable<RelayOptions['openStore']> {
  return options =>
    new Proxy(openSqliteStore(options), {
      get(store, name) {
        const part: unknown = Reflect.get(store, name, store)
        if (typeof part !== 'function') return part
        return (...given: unknown[]): unknown => {
          hear(String(name), given)
          return Reflect.apply(part, store, given)
        }
      },
    })
}
