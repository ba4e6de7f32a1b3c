// Work of a page that nobody awaits: failures are reported in the browser's error console.

/** `what` does not happen then, as in "no badge". */
export function inBackground(work: Promise<unknown>, what: string): void {
  work.catch((cause: unknown) => reportError(new Error(what, { cause })))
}
