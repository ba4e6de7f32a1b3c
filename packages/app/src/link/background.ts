// Work of a page that nobody waits for: what goes wrong in it is told in the browser's own place for errors.

/** `what` does not happen then, as in "no badge". */
export function inBackground(work: Promise<unknown>, what: string): void {
  work.catch((cause: unknown) => reportError(new Error(what, { cause })))
}
