/** The product's version, the same in every package.json; a test holds them together. */
export const VERSION = '0.1.0'
/** Changes when a client and a host of different numbers can no longer talk. */
export const PROTOCOL_VERSION = 1
