import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a connection may take for what, in milliseconds; and how many there may be. */
export const PATIENCE = {
  /** All headers of a request. */
  headersMs: 20_000,
  /** A whole request, with its body. */
  requestMs: 60_000,
  /**
   * Nothing at all from or to a client. A request that waits so long is answered (answer-in-time.ts): before the 30 s after
   * which many clients and proxies give up.
   */
  silenceMs: 28_000,
  /** Until the next request on the same connection. */
  keepAliveMs: 30_000,
  /** A client that does not read its answer, or only very slowly. */
  readerMs: 30_000,
  /** How often slow readers are looked for. */
  lookMs: 5000,
  /** Open connections when the service stops: what comes on them meanwhile is still answered. */
  drainMs: 250,
  /** Requests that run when the service stops, the time above included. A client that dawdles must not make the stop a failed one. */
  stopMs: 10_000,
  /** Connections of one process. Further ones are closed, so that file handles are left for files and the database. */
  connections: 10_000,
}

export type Patience = typeof PATIENCE

/** A client that reads slower than this, measured over `readerMs`, is cut off. */
const SLOWEST_BYTES_A_SECOND = 1024

type Progress = { taken: number; at: number }

export type Connections = {
  /** Ends those that never sent a byte, such as the ones a browser opens in advance. Closing the server waits for them. */
  endSilent: () => void
  stopLooking: () => void
}

/**
 * Cuts off clients that do not read. Node's own limits end when the request has arrived, and its limit on silence
 * starts again with each byte that is read: a client that reads a byte now and then would keep a large answer open
 * for days.
 */
export function watchConnections(server: Server, { readerMs, lookMs }: Patience): Connections {
  const sockets = new Map<Socket, Progress>()
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { taken: 0, at: performance.now() })
    socket.once('close', () => sockets.delete(socket))
  })
  const leastTaken = (SLOWEST_BYTES_A_SECOND * readerMs) / 1000
  const look = () => {
    const now = performance.now()
    for (const [socket, progress] of sockets) {
      const taken = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || taken - progress.taken >= leastTaken)
        sockets.set(socket, { taken, at: now })
      else if (now - progress.at >= readerMs) socket.destroy()
    }
  }
  const timer = setInterval(look, lookMs).unref()
  return {
    endSilent: () => {
      for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy()
    },
    stopLooking: () => clearInterval(timer),
  }
}
