// The relay of this page: the server of the page, unless that server names another one in the page.

export const relayUrl = (): string => document.documentElement.dataset['relay'] || location.origin

export const relayHost = (): string => new URL(relayUrl()).host
