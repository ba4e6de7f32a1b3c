// The build: a hash of the sources of page and worker, inserted by Vite. It lets two tabs notice that their builds differ.
declare const __POSTERN_BUILD__: string | undefined

export const BUILD: string = typeof __POSTERN_BUILD__ === 'string' ? __POSTERN_BUILD__ : 'unbuilt'
