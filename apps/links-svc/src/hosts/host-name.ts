const NAME_MAX_LENGTH = 253;
/** A `Host` header: a name in any case, maybe with a dot at its end, and maybe a port. */
const HOST = /^([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d*)?$/i;

/** Returns the name of a `Host` header in lower case, without port and dot at its end, or null if it has none. */
export function hostOf(header: string | undefined): string | null {
  const name = header === undefined ? undefined : HOST.exec(header)?.[1];
  return name === undefined || name.length > NAME_MAX_LENGTH ? null : name.toLowerCase();
}
