// Environment variables, as the commands are given them.

export type Env = Readonly<Record<string, string | undefined>>
