// The build: a hash of the sources that page and worker were built from, put in by Vite. Two tabs of different builds find out by it.
declare const __POSTERN_BUILD__: string | undefined

export const BUILD: string = typeof __POSTERN_BUILD__ === 'string' ? __POSTERN_BUILD__ : 'unbuilt'
