// The header with which a relay's health says whom it registers: open, invite or closed.
export const REGISTRATION_HEADER = 'postern-registration'
