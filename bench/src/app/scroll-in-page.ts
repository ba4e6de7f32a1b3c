// Code that runs inside the page while it is scrolled, without access to this file.

export type Scrolling = { frames: number; stepPx: number }

/**
 * `frameMs`: from each frame to the next. `driftPx`: how far the middle row was, a frame later, from its intended
 * position.
 */
export type Scrolled = { frameMs: number[]; driftPx: number[] }

/** Upwards, one step per frame. */
export async function scrollInPage({ frames, stepPx }: Scrolling): Promise<Scrolled> {
  const list = document.querySelector('.window-scroller')
  if (!list) throw new Error('no conversation is open')
  const { left, width, top, height } = list.getBoundingClientRect()
  const inMiddle = () => {
    const row = document.elementsFromPoint(left + width / 2, top + height / 2).find(found => found.closest('[data-id]'))
    return row?.closest('[data-id]')
  }
  const frame = () => new Promise<number>(requestAnimationFrame)
  const frameMs: number[] = []
  const driftPx: number[] = []
  let lastMs = await frame()
  for (let at = 0; at < frames; at++) {
    list.scrollTop -= stepPx
    const row = inMiddle()
    const putPx = row?.getBoundingClientRect().top
    const nowMs = await frame()
    frameMs.push(nowMs - lastMs)
    lastMs = nowMs
    if (row?.isConnected && putPx !== undefined) driftPx.push(Math.abs(row.getBoundingClientRect().top - putPx))
  }
  return { frameMs, driftPx }
}

export type Opening = { address: string; framesAfter: number }

/** `frameMs` while a conversation is opened from the list of chats: until its rows are there, and a few more. */
export async function openInPage({ address, framesAfter }: Opening): Promise<number[]> {
  const frame = () => new Promise<number>(requestAnimationFrame)
  const frameMs: number[] = []
  let lastMs = await frame()
  location.hash = address
  for (let left = framesAfter; left > 0; ) {
    const nowMs = await frame()
    frameMs.push(nowMs - lastMs)
    lastMs = nowMs
    if (document.querySelector('article.row')) left -= 1
  }
  return frameMs
}

export type Jump = { address: string; id: string }

/** Until the message is on the screen. */
export async function jumpInPage({ address, id }: Jump): Promise<number> {
  const isThere = () => {
    const box = document.querySelector(`[data-id="${id}"]`)?.getBoundingClientRect()
    return box !== undefined && box.bottom > 0 && box.top < innerHeight
  }
  const startedMs = performance.now()
  location.hash = address
  while (!isThere()) await new Promise(requestAnimationFrame)
  return performance.now() - startedMs
}
