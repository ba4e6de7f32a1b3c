// A line for a user who waits for the build of the app.

/** Returns the function that ends the line. */
export function progressLine(print: (text: string) => void): () => void {
  const beganMs = performance.now()
  print('Building the app …')
  return () => print(` ${Math.max(1, Math.round((performance.now() - beganMs) / 1000))} s\n`)
}
