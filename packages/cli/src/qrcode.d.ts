// The one function of the package that is used here; the package ships no types.
declare module 'qrcode' {
  export function toString(text: string, options: { type: 'terminal'; small: boolean }): Promise<string>
}
