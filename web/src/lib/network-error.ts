/** The server has taken a request and says nothing. It may answer others, so nothing is sent again by itself. */
export class Silence extends Error {
  constructor(method = 'GET') {
    super(
      method === 'GET'
        ? 'The server does not answer.'
        : 'The server does not answer. What you sent may have arrived: look before you send it again.',
    )
    this.name = 'Silence'
  }
}

/** The request never reached the server or its answer never came back. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause })
    this.name = 'NetworkError'
  }
}
