// Commands that run until they are stopped, and the words that show that they are up.

export const servers = [
  { name: 'demo', command: /\bnpm start\b/, says: /Ctrl-C/ },
  { name: 'relay', command: /\bpostern -- relay --/, says: /"listening"/ },
  { name: 'gateway', command: /\bpostern -- gateway\b/, says: /relay connected/ },
  { name: 'person', command: /\bpostern -- person\b/, says: /"ready"/ },
  { name: 'bot', command: /\bnode echo\.mjs\b/, says: /waiting/ },
  { name: 'receiver', command: /\bnode receiver\.mjs\b/, says: /listening/ },
] as const

export type Server = (typeof servers)[number]
export type ServerName = Server['name']
