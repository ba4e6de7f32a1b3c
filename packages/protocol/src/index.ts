// What every part of Postern shares, and the relay may know.
export * from './bytes.ts'
export * from './clock.ts'
export * from './codec.ts'
export * from './errors.ts'
export * from './ids.ts'
export * from './limits.ts'
export * from './listen-address.ts'
export * from './text.ts'
