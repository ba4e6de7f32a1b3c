// The folder of the account in the origin's private file system.
export const ACCOUNT_DIRECTORY = 'account'
