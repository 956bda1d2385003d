/** Goes to the start of the line and erases it (ECMA-48, EL). */
const CLEAR_LINE = '\r\x1b[K';

/** Shows one line of progress on standard error, if that is a terminal. Call `clear` before other output. */
export function showProgress(json: boolean | undefined): { show(text: string): void; clear(): void } {
  const { stderr } = process;
  const write = (text: string) => {
    if (stderr.isTTY && !json) stderr.write(`${CLEAR_LINE}${text}`);
  };
  return { show: (text) => write(`${text} …`), clear: () => write('') };
}
