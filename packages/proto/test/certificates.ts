import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  cert: string;
  /** PEM. */
  key: string;
}

/** Creates an authority that issues EC certificates for `localhost` and 127.0.0.1, valid for an hour (RFC 5280). */
export function createAuthority(name: string): Certificate & { issue(subject: string): Certificate } {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issue = (subject: string, publicKey: KeyObject, isAuthority: boolean) =>
    pem('CERTIFICATE', certificate({ issuer: name, signer: keys.privateKey, subject, publicKey, isAuthority }));
  return {
    cert: issue(name, keys.publicKey, true),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    issue(subject) {
      const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return {
        cert: issue(subject, leaf.publicKey, false),
        key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

interface Contents {
  issuer: string;
  signer: KeyObject;
  subject: string;
  publicKey: KeyObject;
  isAuthority: boolean;
}

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const BASIC_CONSTRAINTS = '551d13';
const SUBJECT_ALT_NAME = '551d11';

function certificate({ issuer, signer, subject, publicKey, isAuthority }: Contents): Buffer {
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const now = Date.now();
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...Buffer.from(now.toString(16).padStart(12, '0'), 'hex'), isAuthority ? 1 : 2])),
    algorithm,
    distinguishedName(issuer),
    sequence(time(now - 60_000), time(now + 3_600_000)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        extension(BASIC_CONSTRAINTS, isAuthority ? sequence(der(0x01, Buffer.from([0xff]))) : sequence()),
        extension(
          SUBJECT_ALT_NAME,
          sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1]))),
        ),
      ),
    ),
  );
  const signature = sign('sha256', toBeSigned, signer);
  return sequence(toBeSigned, algorithm, der(0x03, Buffer.from([0]), signature));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  // The shortest form. Browsers refuse any other.
  const prefix = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...prefix]), content]);
}
function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}
function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}
function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(commonName)))));
}
/** A UTCTime, which years before 2050 need. */
function time(ms: number): Buffer {
  return der(
    0x17,
    Buffer.from(
      new Date(ms)
        .toISOString()
        .slice(2)
        .replace(/[-:T]|\.\d+/g, ''),
    ),
  );
}
function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}
function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
