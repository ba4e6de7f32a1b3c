// Notes whether a person points or types: a tap leaves no focus ring behind.
// A browser counts a word in a text field as use of the keyboard, and then rings whatever gets the focus by a tap.

/** Marks the page while the person points. */
const POINTS = 'data-points'

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, [contenteditable]')

export function startInputMode(): void {
  const root = document.documentElement
  addEventListener('pointerdown', () => root.toggleAttribute(POINTS, true), { capture: true })
  addEventListener(
    'keydown',
    ({ key, target }) => {
      if (key === 'Tab' || !isTextField(target)) root.toggleAttribute(POINTS, false)
    },
    { capture: true },
  )
}
