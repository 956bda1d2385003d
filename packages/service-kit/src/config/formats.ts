import { createPrivateKey } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import proxyAddress from '@fastify/proxy-addr';

/** What a text must be, and the words for it in an error message, after "must be". */
export interface Format {
  words: string;
  test: (text: string) => boolean;
  /** Returns the one spelling of a text that has the format. Default: the text itself. */
  normalize?: (text: string) => string;
}

/** The formats that a schema may use. A text is tested by the library that will use it. */
export const FORMATS: Record<string, Format> = {
  'http-url': {
    words: 'an http or https URL without user, query and fragment',
    test: isPlainHttpUrl,
  },
  'http-origin': {
    words: 'an http or https URL without user, path, query and fragment',
    test: (text) => isPlainHttpUrl(text) && new URL(text).pathname === '/',
    normalize: (text) => new URL(text).origin,
  },
  host: {
    words: 'an IP address or a host name',
    test: (text) => isIP(text) > 0 || isHostName(text),
  },
  folder: { words: 'a folder that is writable or can be created', test: isWritableFolder },
  'readable-folder': { words: 'a folder that can be read', test: isReadableFolder },
  file: { words: 'the path of a file that can be read', test: isReadableFile },
  'mongodb-database': {
    words: 'a name of 1 to 63 bytes without spaces and without / \\ . " $ * < > : | ?',
    test: (text) => /^[^\s/\\."$*<>:|?]+$/.test(text) && Buffer.byteLength(text) <= 63,
  },
  'mongodb-url': {
    words: 'a URL that begins with mongodb:// or mongodb+srv://, with user and password percent-encoded',
    test: isMongodbUrl,
  },
  'redis-url': {
    words:
      'a URL that begins with redis:// or rediss://, with no path except a database number, and with user and password percent-encoded',
    test: isRedisUrl,
  },
  'host-port': { words: 'HOST:PORT, or a gRPC target such as dns:///HOST:PORT', test: isGrpcTarget },
  'pem-certificate': {
    words: 'a PEM certificate',
    test: (text) => isReadable(() => createSecureContext({ cert: text, ca: text })),
  },
  'pem-private-key': { words: 'a PEM private key', test: (text) => isReadable(() => createPrivateKey(text)) },
  'name-server': {
    words: 'an IP address, with a port or without, such as 192.0.2.53:53 or [2001:db8::53]:53',
    test: isNameServer,
  },
  seconds: { words: 'a whole number of seconds from 1 to 604800', test: isSeconds },
  network: { words: 'an IP address, or a network such as 10.0.0.0/8', test: isNetwork },
  proxy: {
    words: 'an IP address, or a network such as 10.0.0.0/8, but not all addresses',
    test: (text) => isNetwork(text) && isReadable(() => proxyAddress.compile(text)),
  },
};

/** Looks at the text too, because a URL's parser ignores some white space, and a `?`, `#` or `@` that is next to nothing. */
function isPlainHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}/?#@\\]+(\/[^\s\p{Cc}?#\\]*)?$/iu.test(text) && URL.canParse(text);
}

function isHostName(text: string): boolean {
  return /^[\w-]+(\.[\w-]+)*\.?$/.test(text);
}

/**
 * A raw `@`, `/` or `:` of a password would end it, and send the rest to DNS as the name of a host. Then there is one of
 * them where the list of hosts or the name of the database cannot have one.
 */
function isMongodbUrl(text: string): boolean {
  const [, rest = ''] = /^mongodb(?:\+srv)?:\/\/(\S+)$/.exec(text) ?? [];
  const [address = ''] = rest.slice(rest.indexOf('@') + 1).split('?');
  return /^[^@/]+(\/[^@/:]*)?$/.test(address);
}

function isRedisUrl(text: string): boolean {
  if (/[\s?#]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  if (!['redis:', 'rediss:'].includes(protocol) || hostname === '' || !/^(\/\d*)?$/.test(pathname)) return false;
  return isReadable(() => redis().createClient({ url: text }));
}

/** Loaded only if needed: the package is large, and most installations have no Redis. */
function redis(): typeof import('@redis/client') {
  return createRequire(import.meta.url)('@redis/client');
}

/** gRPC would take another scheme, and a list without a scheme, for a host name. */
function isGrpcTarget(text: string): boolean {
  const [, scheme = '', list = ''] = /^(dns:\/\/\/|dns:|ipv4:|ipv6:)?(.+)$/.exec(text) ?? [];
  const isHost = { 'ipv4:': isIPv4, 'ipv6:': isIPv6 }[scheme] ?? ((host) => isIP(host) > 0 || isHostName(host));
  const addresses = scheme.startsWith('ip') ? list.split(',') : [list];
  return addresses.every((address) => {
    const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address) ?? [];
    const isPort = Number(port) > 0 && Number(port) <= 65_535;
    return isPort && isHost(bracketed ?? plain ?? '') && (bracketed === undefined || isIPv6(bracketed));
  });
}

function isNameServer(text: string): boolean {
  if (isIP(text) > 0) return !text.includes('%');
  const [, v6, v4, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const hasPort = port === undefined || (Number(port) > 0 && Number(port) <= 65_535);
  return hasPort && (v6 === undefined ? isIPv4(v4 ?? '') : isIPv6(v6));
}

function isSeconds(text: string): boolean {
  return /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= 604_800;
}

/** An address with a zone is refused: a zone belongs to this machine, and addresses are compared without it. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits === -1 || rest.length > 0 || address.includes('%')) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/** Returns true unless both are valid, and the private key is not that of the certificate. */
export function isKeyPair(cert = '', key = ''): boolean {
  const areValid = FORMATS['pem-certificate']!.test(cert) && FORMATS['pem-private-key']!.test(key);
  return !areValid || isReadable(() => createSecureContext({ cert, key }));
}

/** Returns true if this process can write to the folder, or create it. */
export function isWritableFolder(path: string): boolean {
  let folder = resolve(path);
  // A missing folder will be created in its closest existing parent.
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return isReadable(() => accessSync(join(folder, '.'), constants.W_OK | constants.X_OK));
}

function isReadableFile(path: string): boolean {
  return isReadable(() => accessSync(path, constants.R_OK)) && statSync(path).isFile();
}

function isReadableFolder(path: string): boolean {
  return isReadable(() => readdirSync(path));
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
