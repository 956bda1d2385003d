/** Returns the text in an encoding of one or two bytes for each character, which Node can only decode. */
export function encode(text: string, encoding: string): Buffer {
  const bytesOf = bytesByCharacter(encoding);
  return Buffer.concat(
    Array.from(text, (character) => {
      const bytes = bytesOf.get(character);
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
      return bytes;
    }),
  );
}

const known = new Map<string, Map<string, Buffer>>();

function bytesByCharacter(encoding: string): Map<string, Buffer> {
  const found = known.get(encoding) ?? new Map<string, Buffer>();
  if (found.size > 0) return found;
  const decoder = new TextDecoder(encoding, { fatal: true });
  const add = (...bytes: number[]) => {
    try {
      const character = decoder.decode(Buffer.from(bytes));
      if (Array.from(character).length === 1 && !found.has(character)) found.set(character, Buffer.from(bytes));
    } catch {
      // These bytes are no character.
    }
  };
  for (let one = 0; one <= 0xff; one++) add(one);
  for (let lead = 0x81; lead <= 0xfe; lead++) for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  known.set(encoding, found);
  return found;
}
