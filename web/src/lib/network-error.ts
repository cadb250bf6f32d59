/** The request never reached the server or its answer never came back. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause })
    this.name = 'NetworkError'
  }
}
