/**
 * Passes the body of an answer on. When it breaks in the middle, as a file does whose database went away, `onBroken` is
 * told: the listener under the panel would write the error to the console. `onBroken` has to cut the connection, so
 * that no shorter file looks whole; what it throws is the error that the reader of the body gets, if there is no
 * connection.
 */
export function watchBody(
  body: ReadableStream<Uint8Array>,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Neither ended nor failed: whoever reads it gives it up when the connection is gone.
          onBroken(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
