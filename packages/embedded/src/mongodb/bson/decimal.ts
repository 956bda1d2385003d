import { Decimal128 } from 'bson';

/** A finite decimal: `coefficient × 10^exponent`. */
export interface Decimal {
  coefficient: bigint;
  exponent: number;
}

const DIGITS = 34;

/** The exact value of a Decimal128, or undefined for NaN and the infinities (see `specialOf`). */
export function toDecimal(value: Decimal128): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/.exec(value.toString());
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const coefficient = BigInt(`${whole}${fraction}`);
  return { coefficient: sign ? -coefficient : coefficient, exponent: Number(exponent) - fraction.length };
}

/** NaN or an infinity as a JavaScript number; only for a Decimal128 that `toDecimal` has no value for. */
export function specialOf(value: Decimal128): number {
  return Number(value.toString());
}

/** The exact value of a finite double (every double is a finite decimal). */
export function decimalOfDouble(value: number): Decimal {
  if (Number.isInteger(value)) return { coefficient: BigInt(value), exponent: 0 };
  let scaled = value;
  let shift = 0;
  while (!Number.isInteger(scaled)) {
    scaled *= 2; // exact: only the binary exponent changes (subnormals grow into range first)
    shift += 1;
  }
  return { coefficient: BigInt(scaled) * 5n ** BigInt(shift), exponent: -shift };
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const signA = a.coefficient < 0n ? -1 : a.coefficient > 0n ? 1 : 0;
  const signB = b.coefficient < 0n ? -1 : b.coefficient > 0n ? 1 : 0;
  if (signA !== signB || signA === 0) return signA - signB;
  const [x, y] = align(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The sum, rounded to the 34 digits of Decimal128. */
export function addDecimals(a: Decimal, b: Decimal): Decimal128 {
  const [x, y] = align(a, b);
  return toDecimal128({ coefficient: x + y, exponent: Math.min(a.exponent, b.exponent) });
}

/** The product, rounded to the 34 digits of Decimal128. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal128 {
  return toDecimal128({ coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent });
}

function align(a: Decimal, b: Decimal): [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [a.coefficient * 10n ** BigInt(a.exponent - exponent), b.coefficient * 10n ** BigInt(b.exponent - exponent)];
}

function toDecimal128({ coefficient, exponent }: Decimal): Decimal128 {
  const negative = coefficient < 0n;
  let digits = (negative ? -coefficient : coefficient).toString();
  let power = exponent;
  if (digits.length > DIGITS) {
    const dropped = digits.length - DIGITS;
    const unit = 10n ** BigInt(dropped);
    const whole = BigInt(digits);
    let kept = whole / unit;
    const rest = (whole % unit) * 2n;
    if (rest > unit || (rest === unit && kept % 2n === 1n)) kept += 1n;
    digits = kept.toString();
    power += dropped;
  }
  return Decimal128.fromString(`${negative ? '-' : ''}${digits}E${power}`);
}
