/**
 * An exact decimal number: an integer mantissa and a count of decimal places.
 *
 * The mantissa is a safe integer where it fits and a bigint where it does not, so ordinary money runs at the
 * speed of machine numbers and nothing ever loses a unit. Sums and products are exact. The one inexact operation
 * is {@link Decimal.dividedBy}, and its truncation cannot change a rounded amount (see there).
 */
export class Decimal {
  static readonly zero = new Decimal(0, 0);
  static readonly one = new Decimal(1, 0);

  /** Cached, because one number is printed in several places: the amount, its trace, its key. */
  private text: string | null = null;

  private constructor(
    private readonly mantissa: number | bigint,
    private readonly scale: number,
  ) {}

  /**
   * Reads decimal text such as `-12.50`, `.5` or `1e3`. Null when the text is not a decimal number, or has more than
   * 400 digits or an exponent beyond ±400; {@link Decimal.isDecimalText} distinguishes the two.
   */
  static parse(text: string): Decimal | null {
    return Decimal.read(text, maxForeignDigits);
  }

  private static read(text: string, maxDigits: number): Decimal | null {
    const match = decimalPattern.exec(text);
    if (match === null) return null;
    const [, sign, whole = '', afterWhole = '', fractionOnly = '', exponentText] = match;
    const fraction = afterWhole + fractionOnly;
    const exponent = exponentText === undefined ? 0 : Number(exponentText);
    if (whole.length + fraction.length > maxDigits || Math.abs(exponent) > maxDigits) {
      return zeroDigits.test(whole + fraction) ? Decimal.zero : null;
    }
    const digits = `${sign ?? ''}${whole}${fraction}`;
    const scale = fraction.length - exponent;
    const mantissa = digits.length <= 15 ? Number(digits) : BigInt(digits);
    return scale >= 0 ? make(mantissa, scale) : make(BigInt(mantissa) * powerOfTen(-scale), 0);
  }

  /** Whether the text has the form of a decimal number, of any size. */
  static isDecimalText(text: string): boolean {
    return decimalPattern.test(text);
  }

  /**
   * The decimal that the text or number states. A number is taken by its shortest text, which is what its author
   * wrote: 0.1 is one tenth. Throws on what is not a decimal number; use {@link Decimal.parse} for foreign text.
   */
  static of(value: string | number | Decimal): Decimal {
    if (value instanceof Decimal) return value;
    if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) return new Decimal(value + 0, 0);
      // Money has two decimals. Two decimals of up to 15 digits never share a double, so the rounding restores the
      // written value.
      const cents = Math.round(value * 100);
      if (cents / 100 === value && Math.abs(cents) < 1e15) return new Decimal(cents, 2);
    }
    const decimal = Decimal.read(String(value), maxStoredDigits);
    if (decimal === null) throw new RangeError(`not a decimal number: ${String(value).slice(0, 40)}`);
    return decimal;
  }

  plus(other: Decimal): Decimal {
    if (other.mantissa === 0) return this;
    if (this.mantissa === 0) return other;
    const scale = Math.max(this.scale, other.scale);
    const a = raised(this.mantissa, scale - this.scale);
    const b = raised(other.mantissa, scale - other.scale);
    if (typeof a === 'number' && typeof b === 'number') {
      const sum = a + b;
      if (Number.isSafeInteger(sum)) return new Decimal(sum, scale);
    }
    return make(BigInt(a) + BigInt(b), scale);
  }

  minus(other: Decimal): Decimal {
    return other.mantissa === 0 ? this : this.plus(other.negated());
  }

  negated(): Decimal {
    return new Decimal(this.mantissa === 0 ? 0 : -this.mantissa, this.scale);
  }

  times(other: Decimal): Decimal {
    const scale = this.scale + other.scale;
    if (typeof this.mantissa === 'number' && typeof other.mantissa === 'number') {
      const product = this.mantissa * other.mantissa;
      if (Number.isSafeInteger(product)) return new Decimal(product + 0, scale);
    }
    return make(BigInt(this.mantissa) * BigInt(other.mantissa), scale);
  }

  /**
   * The quotient, cut off towards zero after 24 decimal places, or after those given. Cutting keeps every later rounding
   * half away from zero exact: a cut quotient lies on the same side of a rounding boundary as the true one, and equals
   * it on the boundary itself, because boundaries have far fewer places.
   */
  dividedBy(divisor: Decimal, places = quotientScale): Decimal {
    const shift = places + divisor.scale - this.scale;
    const numerator = BigInt(this.mantissa) * powerOfTen(Math.max(shift, 0));
    const denominator = BigInt(divisor.mantissa) * powerOfTen(Math.max(-shift, 0));
    return make(numerator / denominator, places);
  }

  compare(other: Decimal): -1 | 0 | 1 {
    const scale = Math.max(this.scale, other.scale);
    if (typeof this.mantissa === 'number' && typeof other.mantissa === 'number' && scale <= 15) {
      // At most one of the two is raised. An inexact product lies beyond all safe integers, and so beyond the other.
      const a = this.mantissa * (smallPowers[scale - this.scale] as number);
      const b = other.mantissa * (smallPowers[scale - other.scale] as number);
      return a < b ? -1 : a > b ? 1 : 0;
    }
    const a = raised(this.mantissa, scale - this.scale);
    const b = raised(other.mantissa, scale - other.scale);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  isLessThan(other: Decimal): boolean {
    return this.compare(other) < 0;
  }

  sign(): -1 | 0 | 1 {
    return this.mantissa < 0 ? -1 : this.mantissa > 0 ? 1 : 0;
  }

  isZero(): boolean {
    return this.sign() === 0;
  }

  absolute(): Decimal {
    return this.sign() < 0 ? this.negated() : this;
  }

  /** Rounds half away from zero to the given number of decimal places. */
  rounded(places: number): Decimal {
    const drop = this.scale - places;
    if (drop <= 0) return this;
    if (typeof this.mantissa === 'number' && drop <= 15) {
      const unit = smallPowers[drop] as number;
      const rest = this.mantissa % unit;
      const whole = (this.mantissa - rest) / unit;
      const away = Math.abs(rest) * 2 >= unit ? Math.sign(rest) : 0;
      return new Decimal(whole + away + 0, places);
    }
    const unit = powerOfTen(drop);
    const mantissa = BigInt(this.mantissa);
    const rest = mantissa % unit;
    const away = (rest < 0n ? -rest : rest) * 2n >= unit ? (rest < 0n ? -1n : 1n) : 0n;
    return make(mantissa / unit + away, places);
  }

  /** The nearest JSON number: for responses, never for arithmetic. */
  toNumber(): number {
    return Number(this.toString());
  }

  /** Plain decimal text without trailing zeros or exponent, the same for equal values: `1200.5`, `-0.08`. */
  toString(): string {
    this.text ??= this.written();
    return this.text;
  }

  private written(): string {
    const negative = this.mantissa < 0;
    const digits = String(negative ? -this.mantissa : this.mantissa);
    if (this.scale === 0) return negative ? `-${digits}` : digits;
    const padded = digits.padStart(this.scale + 1, '0');
    const point = padded.length - this.scale;
    let end = padded.length;
    while (end > point && padded.charCodeAt(end - 1) === zeroCode) end -= 1;
    const text = end === point ? padded.slice(0, point) : `${padded.slice(0, point)}.${padded.slice(point, end)}`;
    return negative ? `-${text}` : text;
  }

  toJSON(): number {
    return this.toNumber();
  }

  /** Internal: builds from a mantissa of either kind; only {@link make} calls it. */
  static fromParts(mantissa: number | bigint, scale: number): Decimal {
    return new Decimal(mantissa, scale);
  }
}

export function minimum(a: Decimal, b: Decimal): Decimal {
  return b.isLessThan(a) ? b : a;
}

export function maximum(a: Decimal, b: Decimal): Decimal {
  return a.isLessThan(b) ? b : a;
}

export function sum(values: Iterable<Decimal>): Decimal {
  let total = Decimal.zero;
  for (const value of values) total = total.plus(value);
  return total;
}

const decimalPattern = /^([+-])?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/;
const zeroDigits = /^0*$/;
const maxForeignDigits = 400;
// Products of stored values have more digits than their factors, and are read back from storage.
const maxStoredDigits = 20_000;
const quotientScale = 24;
const zeroCode = 48;
const smallPowers = Array.from({ length: 16 }, (_, places) => 10 ** places);
const bigPowers: bigint[] = [];

function powerOfTen(places: number): bigint {
  const known = bigPowers[places];
  if (known !== undefined) return known;
  const power = 10n ** BigInt(places);
  bigPowers[places] = power;
  return power;
}

function make(mantissa: number | bigint, scale: number): Decimal {
  if (typeof mantissa === 'number') return Decimal.fromParts(mantissa + 0, scale);
  const fits = mantissa <= largestSafe && mantissa >= -largestSafe;
  return Decimal.fromParts(fits ? Number(mantissa) : mantissa, scale);
}

const largestSafe = BigInt(Number.MAX_SAFE_INTEGER);

function raised(mantissa: number | bigint, places: number): number | bigint {
  if (places === 0) return mantissa;
  if (typeof mantissa === 'number' && places <= 15) {
    const product = mantissa * (smallPowers[places] as number);
    if (Number.isSafeInteger(product)) return product;
  }
  return BigInt(mantissa) * powerOfTen(places);
}
