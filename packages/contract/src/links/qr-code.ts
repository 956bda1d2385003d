import Type, { type Static } from 'typebox';
import { oneOf } from '../text.ts';

export const QR_FORMATS = ['svg', 'png'] as const;
/** The error correction levels of ISO/IEC 18004, lowest first. */
export const QR_LEVELS = ['L', 'M', 'Q', 'H'] as const;

const HEX_COLOR = '^#?[0-9A-Fa-f]{6}$';

/** The query of `GET /api/v1/links/{id}/qr`. */
export const QrQuery = Type.Object(
  {
    format: oneOf(QR_FORMATS, { default: 'svg', description: 'Format of the image.' }),
    size: Type.Integer({
      minimum: 64,
      maximum: 2_048,
      default: 512,
      description: 'Width and height in pixels; at least one for each module of code and margin.',
    }),
    margin: Type.Integer({
      minimum: 0,
      maximum: 16,
      default: 4,
      description: 'Width of the empty border, in modules.',
    }),
    level: oneOf(QR_LEVELS, {
      default: 'M',
      description: 'Error correction: how much of the code may be damaged, from `L` (7 %) to `H` (30 %).',
    }),
    color: Type.String({
      pattern: HEX_COLOR,
      default: '#000000',
      description:
        'Color of the code, such as `#1f5fbf` (in a URL, write `#` as `%23` or omit it). It must be dark on a light `background`, with a contrast of at least 4.5:1.',
    }),
    background: Type.String({ pattern: HEX_COLOR, default: '#ffffff', description: 'Color behind the code.' }),
    logo: oneOf(['true', 'false'], {
      default: 'false',
      description:
        'True for the operator’s logo for the host of the link in the middle of the code, whose `level` is `H` then. A PNG needs a logo in PNG.',
    }),
  },
  { additionalProperties: false },
);
export type QrQuery = Static<typeof QrQuery>;

/** The text of the tool `get_qr_code`, beside the image. */
export interface LinkQrCode {
  /** The short URL that the code holds. */
  short_url: string;
}
