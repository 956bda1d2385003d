/**
 * What a server answers, or an error where it takes longer. A pause of this process is not the server's fault: in the
 * first half of the time it may keep the question from being sent, and the second half is still to come after it; in
 * the second half it may keep the answer from being read, which is done first.
 */
export async function withinTime<Answer>(answered: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // A turn of the event loop reads sockets after its timers and before its immediates.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer within ${timeoutMs} ms`)));
    timer = setTimeout(() => {
      timer = setTimeout(giveUp, timeoutMs / 2);
    }, timeoutMs / 2);
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
