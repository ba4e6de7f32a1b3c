// The one function of the package that is used here; it ships no types of its own.
declare module 'qrcode' {
  export function toString(text: string, options: { type: 'terminal'; small: boolean }): Promise<string>
}
