/** What people type for an address. */
export function withScheme(text: string): string {
  return /^[a-z][a-z0-9+.-]*:(?!\d+(?:\/|$))/i.test(text) ? text : `https://${text}`
}
