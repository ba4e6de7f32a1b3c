// The environment variables that a command receives.

export type Env = Readonly<Record<string, string | undefined>>
