/** A random id; `crypto.randomUUID` exists only on https and localhost, and the app also runs on a plain LAN address. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
