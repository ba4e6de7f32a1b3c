// The line after an error in a command line.

/** `command`: its words after `postern`. */
export const usageHint = (command: string): string => `Run "postern ${command} --help" to see its options.`
