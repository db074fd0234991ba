/** What an app's code gets when it reaches for something that it was not granted. */
export class DeniedError extends Error {
  readonly code = 'E_PERMISSION'
  readonly permission: string

  constructor(permission: string, appId: string, options?: { cause?: unknown }) {
    super(`${permission} is not granted to ${appId}; its aoapp.json would have to ask for it`, options)
    this.name = 'DeniedError'
    this.permission = permission
  }
}

/** Makes the error and tells the desktop, which shows every denial in the app's operation log. */
export type Deny = (permission: string, cause?: unknown) => DeniedError
