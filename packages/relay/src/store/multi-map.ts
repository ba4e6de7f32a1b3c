// Several members per key. Nearly always there is only one, which is stored without a set.

export class MultiMap<Key, Member extends object> {
  readonly #members = new Map<Key, Member | Set<Member>>()

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** In the order in which they were added. */
  get(key: Key): Iterable<Member> {
    const found = this.#members.get(key)
    if (!found) return []
    return found instanceof Set ? found : [found]
  }

  count(key: Key): number {
    const found = this.#members.get(key)
    if (!found) return 0
    return found instanceof Set ? found.size : 1
  }

  /** The members of all keys. */
  *members(): Generator<Member> {
    for (const key of this.#members.keys()) yield* this.get(key)
  }

  add(key: Key, member: Member): void {
    const found = this.#members.get(key)
    if (!found) this.#members.set(key, member)
    else if (found instanceof Set) found.add(member)
    else if (found !== member) this.#members.set(key, new Set([found, member]))
  }

  delete(key: Key, member: Member): void {
    const found = this.#members.get(key)
    if (found === member) this.#members.delete(key)
    if (!(found instanceof Set) || !found.delete(member)) return
    const [last, other] = found
    if (last && !other) this.#members.set(key, last)
  }
}
