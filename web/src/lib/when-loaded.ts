/**
 * Uses a part of the app that is loaded on demand. If it cannot be loaded now, because the server is away, nothing
 * happens; whoever asks again tries again.
 */
export const whenLoaded = <T>(part: Promise<T>, use: (part: T) => void): void => {
  part.then(use, () => {})
}
