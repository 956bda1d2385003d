/** Prints the value as one line of JSON if `json` is true, else the text. */
export function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** Prints an error to standard error: the line `{"error":"…"}` if `json` is true, else the plain text. */
export function printError(json: boolean | undefined, error: string): void {
  process.stderr.write(`${json ? JSON.stringify({ error }) : error}\n`);
}
